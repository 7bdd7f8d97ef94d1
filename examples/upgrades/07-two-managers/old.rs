//! All of stable memory belongs to the memory manager of ic-stable-structures.

mod names;
