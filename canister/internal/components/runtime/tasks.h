// Tasks and subtasks for the functions of ic:canister.

struct task {
  u32 function;
  u32 context[2];
  u32 open;     // calls whose response has not come, and comes in a message that can answer the call of the task
  u32 made;     // calls that it made, whose response has not come
  u32 returned; // the message has its answer
  u32 replied;  // by the program itself; task.return sends nothing then
  u32 ended;
  u32 waits;    // the set that its callback waits for; 0 if it does not wait
  u32 ready;    // it is among those that go on in this message
  struct task *next; // of those, or of the spare ones
};

void answer(void);
u32 start_subtask(u8 *result);
u32 env_of(u32 handle);
u32 subtask_of(u32 env);
void forget_subtask(u32 handle);
u32 started(u32 handle);
u32 returned(void);
u8 *response_to(u32 handle);
void resolve(u32 handle);
void abandon(u32 handle);
