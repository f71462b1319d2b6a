// The C interface over eigenvalues of batches of real matrices.
#include "library/api/eig_batch.h"

namespace tl {

static_assert(static_cast<int>(EigenStatus::not_converged) == TL_EIG_NOT_CONVERGED);
static_assert(static_cast<int>(EigenStatus::not_finite) == TL_EIG_NOT_FINITE);

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_status tl_eig_batch(const char* device, tl_type type, const void* matrices, int n, size_t count,
                       void* values, void* vectors, tl_eig_error* errors, tl_progress progress,
                       void* context) {
    return eig_batch<float, double>(device, type, matrices, n, count, values, vectors, errors,
                                    {progress, context});
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
