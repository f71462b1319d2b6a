/* The C interface as a program in C uses it. Functions return 0, or the number of the step that went
 * wrong. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "library/api/treelight.h"
#include "library/api/treelight_trees.h"

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

/* A rotation by 90 degrees, and a matrix that is not finite. */
int solve_batch_from_c(const char* device) {
    double matrices[2][2][2] = {{{0, -1}, {1, 0}}, {{1, 0}, {0, 1}}}, values[2][2][2];
    tl_eig_error errors[2];
    matrices[1][0][0] = HUGE_VAL;
    if (tl_eig_batch(device, TL_FLOAT64, matrices, 2, 2, values, NULL, errors, NULL, NULL) != TL_OK)
        return 1;
    if (errors[0] != TL_EIG_SOLVED || errors[1] != TL_EIG_NOT_FINITE) return 2;
    if (fabs(values[0][0][0]) > 1e-15 || fabs(values[0][0][1] - 1) > 1e-15) return 3;
    if (fabs(values[0][1][1] + 1) > 1e-15 || values[1][0][0] == values[1][0][0]) return 4;
    return 0;
}

/* The Hermitian matrix [2, i; -i, 2], of eigenvalues and singular values 1 and 3. */
int solve_complex_from_c(const char* device) {
    const double complex a[4] = {2, -I, I, 2}; /* column by column */
    double complex x[2] = {1, I}, factors[4], values[2];
    double s[2];
    int p[2] = {-1, -1};
    if (tl_complex_solve(device, TL_FLOAT64, a, 2, x, 1, x) != TL_OK) return 1;
    if (cabs(x[0] - 1) > 1e-14 || cabs(x[1] - I) > 1e-14) return 2;
    if (tl_complex_svd(device, TL_FLOAT64, a, 2, 2, NULL, s, NULL) != TL_OK) return 3;
    if (fabs(s[0] - 3) > 1e-13 || fabs(s[1] - 1) > 1e-13) return 4;
    if (tl_complex_lu(device, TL_FLOAT64, a, 2, 2, factors, p) != TL_OK) return 5;
    if (p[0] != 0 || p[1] != 1 || cabs(factors[1] + 0.5 * I) > 1e-15) return 6;
    if (factors[0] != 2 || factors[2] != I || cabs(factors[3] - 1.5) > 1e-15) return 7;
    if (tl_complex_eig_batch(device, TL_FLOAT64, a, 2, 1, values, NULL, NULL, NULL, NULL) != TL_OK)
        return 8;
    if (cabs(values[0] + values[1] - 4) > 1e-13 || cabs(values[0] * values[1] - 3) > 1e-13)
        return 9;
    return 0;
}

static int count_calls(void* context, const char* what, double share) {
    if (strcmp(what, "samples") == 0 && share > 0 && share <= 1) ++*(int*)context;
    return 0;
}

/* A white ball before a black background: its centre is lit, the corner is not. */
int render_from_c(const char* device) {
    enum { width = 16, height = 8 };
    tl_setting settings[2];
    static float pixels[4 * width * height];
    const float *corner = pixels, *centre = pixels + 4 * (width * height / 2 + width / 2);
    tl_picture picture = {width, height, 4, pixels, 0};
    tl_scene_info info;
    tl_scene* scene = NULL;
    int n_calls = 0;
    settings[0].name = "device";
    settings[0].value = device;
    settings[1].name = "spp";
    settings[1].value = "3";
    if (tl_scene_open("generate:blob,triangles=500", NULL, 0, NULL, NULL, &scene) != TL_OK) return 1;
    if (tl_scene_about(scene, &info) != TL_OK || info.n_triangles < 100) return 2;
    if (!(info.lower[0] < info.upper[0]) || info.n_warnings != 0) return 3;
    if (tl_scene_warning(scene, 0) != NULL) return 4;
    if (tl_render(scene, settings, 2, &picture, count_calls, &n_calls) != TL_OK) return 5;
    if (picture.samples != 3 || n_calls != 3) return 6;
    if (corner[3] != 1 || centre[3] != 1 || !(centre[1] > corner[1])) return 7;
    picture.width = 0;
    if (tl_render(scene, NULL, 0, &picture, NULL, NULL) != TL_INVALID) return 8;
    tl_scene_close(scene);
    return 0;
}

/* A tetrahedron: a ray from above hits its slanted face, and a point within is at a distance below
 * 0. */
int query_tree_from_c(const char* device) {
    const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const tl_geometry mesh = {sizeof(tl_geometry), TL_TRIANGLES, 4, {vertices, 0, 0}, 4, faces, {0, 0, 0},
                              {0, 0, 0}, 0, 0, {0, 0, 0}};
    const float origin[] = {0.2f, 0.2f, 5}, down[] = {0, 0, -1}, point[] = {0.1f, 0.1f, 0.1f};
    const tl_rays rays = {sizeof(tl_rays), 1, {origin, 0, 0}, {down, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, 0};
    const tl_floats query = {point, 0, 0};
    float t = 0, distance = 0;
    uint32_t face = 0;
    const tl_hits hits = {sizeof(tl_hits), &t, &face, 0, 0, 0};
    tl_tree* tree = NULL;
    tl_tree_info info = {sizeof(tl_tree_info), 0, 0, 0, 0, 0, 0, 0, {0}, {0}, 0};
    if (tl_tree_create(device, NULL, 0, &tree) != TL_OK) return 1;
    if (tl_tree_build(tree, &mesh, NULL) != TL_OK) return 2;
    if (tl_tree_closest(tree, &rays, &hits, NULL) != TL_OK) return 3;
    if (face != 3 || fabs(t - 4.4) > 1e-5) return 4;
    if (tl_tree_signed_distance(tree, &query, 1, &distance, NULL) != TL_OK) return 5;
    if (fabs(distance + 0.1) > 1e-6) return 6;
    if (tl_tree_about(tree, &info) != TL_OK || info.n_primitives != 4 || info.upper[2] != 1)
        return 7;
    tl_tree_destroy(tree);
    return 0;
}
