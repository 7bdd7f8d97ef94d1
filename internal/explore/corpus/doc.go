// Package corpus is a folder of runs that showed something new or are those of findings, one file each, with which later explorations
// begin.
//
// It owns the names of the files, which are hashes of their content, and the limits of the folder: findings stay longest. Several explorations may
// use a folder at the same time: a file is written completely or not at all and never changed, and one that is gone is not
// missed. It must not know what is in a file.
package corpus
