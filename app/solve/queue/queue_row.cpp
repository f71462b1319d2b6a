#include "app/solve/queue/queue_row.h"

namespace tl {

SolverRow queue_row() {
    return {.add_bench = add_bench_queue_command};
}

}  // namespace tl
