/* Ambient occlusion of a height field: the fraction of the sky that each of its vertices sees.
 *
 *     cc ambient_occlusion.c $(pkg-config --cflags --libs treelight) -lm -o ambient_occlusion
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <treelight_trees.h>

enum { kSize = 200, kVertices = kSize * kSize, kFaces = 2 * (kSize - 1) * (kSize - 1), kRays = 64 };

static float vertices[kVertices][3], origins[kVertices][3], directions[kVertices][3];
static uint32_t faces[kFaces][3];
static uint8_t occluded[kVertices];
static float sky[kVertices];

static float height(float x, float y) {
    return 0.1f * sinf(9 * x) * sinf(11 * y);
}

static void make_surface(void) {
    size_t n = 0;
    for (int y = 0; y < kSize; ++y)
        for (int x = 0; x < kSize; ++x) {
            float* v = vertices[y * kSize + x];
            v[0] = 2 * (float)x / (kSize - 1) - 1;
            v[1] = 2 * (float)y / (kSize - 1) - 1;
            v[2] = height(v[0], v[1]);
        }
    for (int y = 0; y + 1 < kSize; ++y)
        for (int x = 0; x + 1 < kSize; ++x) {
            const uint32_t a = (uint32_t)(y * kSize + x), b = a + 1, c = b + kSize, d = a + kSize;
            const uint32_t both[2][3] = {{a, b, c}, {a, c, d}};
            for (int k = 0; k < 2; ++k, ++n)
                for (int corner = 0; corner < 3; ++corner) faces[n][corner] = both[k][corner];
        }
}

/* A direction with the density of the cosine about the vertical. */
static void choose_direction(float d[3]) {
    const float r = sqrtf((float)rand() / (float)RAND_MAX);
    const float angle = 6.2831853f * (float)rand() / (float)RAND_MAX;
    d[0] = r * cosf(angle);
    d[1] = r * sinf(angle);
    d[2] = sqrtf(fmaxf(1 - r * r, 1e-6f));
}

static int fail(const char* what) {
    fprintf(stderr, "%s: %s\n", what, tl_last_error());
    return 1;
}

int main(int argc, char** argv) {
    const tl_geometry mesh = {.struct_size = sizeof(tl_geometry),
                              .kind = TL_TRIANGLES,
                              .count = kFaces,
                              .positions = {vertices[0], 0, 0},
                              .n_positions = kVertices,
                              .faces = faces[0]};
    const tl_rays rays = {.struct_size = sizeof(tl_rays),
                          .count = kVertices,
                          .origins = {origins[0], 0, 0},
                          .directions = {directions[0], 0, 0}};
    tl_tree* tree = NULL;
    double mean = 0;
    float least = 1;
    make_surface();
    if (tl_tree_create(argc > 1 ? argv[1] : "auto", NULL, 0, &tree)) return fail("the device");
    if (tl_tree_build(tree, &mesh, NULL)) return fail("the tree");
    for (int i = 0; i < kVertices; ++i) {
        for (int c = 0; c < 3; ++c) origins[i][c] = vertices[i][c];
        origins[i][2] += 1e-4f;
    }
    for (int ray = 0; ray < kRays; ++ray) {
        for (int i = 0; i < kVertices; ++i) choose_direction(directions[i]);
        if (tl_tree_occluded(tree, &rays, occluded, NULL)) return fail("the rays");
        for (int i = 0; i < kVertices; ++i) sky[i] += occluded[i] ? 0 : 1.0f / kRays;
    }
    tl_tree_destroy(tree);
    for (int i = 0; i < kVertices; ++i) {
        mean += sky[i] / kVertices;
        least = fminf(least, sky[i]);
    }
    printf("%d vertices see %.3f of the sky on average, at least %.3f\n", kVertices, mean,
           (double)least);
    return mean > 0.5 && mean < 1 && least < mean ? 0 : 1;
}
