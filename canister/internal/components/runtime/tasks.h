// Tasks and subtasks for the functions of ic:canister.

struct task {
  u32 function;
  u32 context[2];
  u32 open;     // calls whose response has not come
  u32 returned; // the message has its answer
  u32 replied;  // by the program itself; task.return sends nothing then
  u32 ended;
  struct task *next_spare;
};

void answered(void);
u32 start_subtask(u8 *result);
u32 env_of(u32 handle);
u32 subtask_of(u32 env);
void forget_subtask(u32 handle);
u32 started(u32 handle);
u32 returned(void);
u8 *response_to(u32 handle);
void resolve(u32 handle);
void abandon(u32 handle);
