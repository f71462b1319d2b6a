/* The C interface as a program in C uses it. Returns 0, or the number of the step that went wrong. */
#include <math.h>
#include <string.h>

#include "solvers/api/treelight.h"

/* Listing 4.7 of Brodtkorb 2007, and a decomposition. */
int use_api_from_c(const char* device) {
    const double a[4] = {1, 3, 2, 4}, b[4] = {0, 1, 1, 0};
    double d[4] = {0, 0, 0, 0}, wide[6] = {0, 0, -1, 0, 0, -1}, s[2];
    tl_queue* queue = NULL;
    tl_value va, vb, vc, vd, u, sv, v;
    int rows = 0, cols = 0;
    tl_type type = TL_FLOAT32;
    if (tl_queue_create(device, &queue) != TL_OK) return 1;
    if (tl_upload(queue, TL_FLOAT64, 2, 2, a, 2, &va) != TL_OK) return 2;
    if (tl_upload(queue, TL_FLOAT64, 2, 2, b, 2, &vb) != TL_OK) return 3;
    if (tl_matmul(queue, va, vb, &vc) != TL_OK || tl_matmul(queue, vc, vc, &vd) != TL_OK) return 4;
    if (tl_read(queue, vd) != TL_OK || tl_fetch(queue, vd, -1, d, 2) != TL_OK) return 5;
    if (d[0] != 8 || d[1] != 20 || d[2] != 5 || d[3] != 13) return 6;
    if (tl_fetch(queue, vd, -1, wide, 3) != TL_OK) return 7;
    if (wide[1] != 20 || wide[2] != -1 || wide[3] != 5 || wide[5] != -1) return 8;
    if (tl_shape(queue, vd, &type, &rows, &cols) != TL_OK || type != TL_FLOAT64) return 9;
    if (rows != 2 || cols != 2) return 10;
    if (tl_svd(queue, va, &u, &sv, &v) != TL_OK || tl_fetch(queue, sv, -1, s, 2) != TL_OK)
        return 11;
    /* The squares add up to those of the elements, the product is |det|. */
    if (fabs(s[0] * s[0] + s[1] * s[1] - 30) > 1e-12 || fabs(s[0] * s[1] - 2) > 1e-12) return 12;
    if (tl_release(queue, va) != TL_OK || tl_wait_for_all(queue) != TL_OK) return 13;
    if (tl_fetch(queue, va, -1, d, 2) != TL_UNKNOWN || strlen(tl_last_error()) == 0) return 14;
    tl_queue_destroy(queue);
    return 0;
}
