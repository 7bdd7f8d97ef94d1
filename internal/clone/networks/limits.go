package networks

// droppedAnswers is how many answers in a row to one read the source may have dropped. Ours.
const droppedAnswers = 5
