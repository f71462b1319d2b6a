/* Trees over geometry for C: rays, closest points, signed distances, overlaps and neighbours.
 *
 *     tl_tree* tree;
 *     const tl_geometry mesh = {
 *         sizeof(tl_geometry), TL_TRIANGLES, n_faces, {vertices, 0, 0}, n_vertices, faces};
 *     if (tl_tree_create("auto", NULL, 0, &tree)) puts(tl_last_error());
 *     if (tl_tree_build(tree, &mesh, NULL)) puts(tl_last_error());
 *     const tl_rays rays = {sizeof(tl_rays), n_rays, {origins, 0, 0}, {directions, 0, 0}};
 *     const tl_hits hits = {sizeof(tl_hits), t, primitives};
 *     if (tl_tree_closest(tree, &rays, &hits, NULL)) puts(tl_last_error());
 *     tl_tree_destroy(tree);
 *
 * Arrays lie in host memory or, for the tree of a GPU, in that GPU's memory; those of one call may
 * be of both kinds. A call whose arrays all lie in the GPU's memory returns before its work is
 * done, unless said otherwise; they must not change until the stream has done it. Other calls wait,
 * and their arrays may be used again on return.
 *
 * `stream`: the caller's cudaStream_t, on which the call's work runs in order; null is CUDA's
 * default stream, and cudaStreamPerThread is refused. CPU trees ignore it. Calls of different
 * threads with one tree are safe: queries run at once, and builds and refits wait for the other
 * calls to return. The tree orders its own work between streams.
 *
 * Results are set for every element: where there is none, indices are TL_NONE and distances
 * infinite. Rays and points with NaN or infinite coordinates find nothing. Distances are computed
 * from squares in single precision, so that coordinates may differ by up to 1e18. */
#ifndef TREELIGHT_TREES_H
#define TREELIGHT_TREES_H

#include "treelight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Index of no primitive. */
#define TL_NONE 0xffffffffu

typedef struct tl_tree tl_tree;

/* Vectors of float: component c of vector i is at byte offset i * step + c * component from `data`.
 * A `component` of 0 means 4; a `step` of 0, that a vector follows the last. Both are multiples of
 * 4. */
typedef struct tl_floats {
    const float* data;
    size_t step, component;
} tl_floats;

typedef enum tl_geometry_kind {
    TL_TRIANGLES = 0,
    TL_BOXES = 1, /* axis-aligned, hit from both sides */
    TL_SPHERES = 2,
    TL_POINTS = 3,    /* only for neighbours and density */
    TL_INSTANCES = 4, /* of trees of triangles or spheres; only for rays */
    TL_PATCHES = 5    /* bicubic Bezier patches, hit from both sides; only for rays */
} tl_geometry_kind;

/* What a tree is built over. Members that a kind does not name are not read. */
typedef struct tl_geometry {
    TL_STRUCT_SIZE(tl_geometry);
    tl_geometry_kind kind;
    size_t count; /* primitives, up to 2^28 - 1 */
    /* Vertices; lower corners of boxes; centres of spheres; points; 16 control points of each
     * patch, of which number 4 i + j belongs to the Bernstein polynomials B_i(u) B_j(v). */
    tl_floats positions;
    size_t n_positions;    /* of triangles: the number of vertices */
    const uint32_t* faces; /* 3 vertices of each triangle; null: each triangle has its own 3 */
    tl_floats upper;       /* upper corners of boxes */
    tl_floats radii;       /* of spheres: vectors of one component */
    /* Instance i is trees[i] under an object-to-world matrix, 3 rows of 4 numbers. The trees must
     * be on the same device and outlive this one. After one of them is rebuilt or refitted, this
     * tree must be built or refitted before the next ray. Their masks do not count here. */
    tl_tree* const* trees;
    const float* transforms; /* 12 numbers each, in host memory */
    /* Of rational patches: vectors of one component, above 0, one for each control point. Null
     * data: all are 1. */
    tl_floats weights;
} tl_geometry;

/* Creates an empty tree on a device ("cpu", "cuda", "cuda:1", "auto"); null after an error.
 * Settings: `builder` ("binned", "hploc", "lbvh", "sah", ...) and those of trees and of the
 * builder, by their flags in `treelight render --help-all`: "tree-robust" or "robust",
 * "binned-bins" or "bins". `check-indices` ("true"): builds refuse faces with an index that is no
 * vertex, and therefore wait. With "false" such faces are left out, and no build waits. TL_UNKNOWN:
 * no such device or setting. */
TL_API tl_status tl_tree_create(const char* device, const tl_setting* settings, size_t n_settings,
                                tl_tree** tree);
/* Waits for the tree's work. */
TL_API void tl_tree_destroy(tl_tree* tree);

/* Rebuilds the tree from copies of the arrays. Primitives with NaN or infinite coordinates, and
 * patches with a weight that is not above 0, are left out and counted in tl_tree_info. Patches are
 * cut into pieces, by how much they bend, for which the build waits. After an error the tree is
 * empty. TL_INVALID: a face has an index that is no vertex, or the geometry is too large;
 * TL_NO_MEMORY: it does not fit. */
TL_API tl_status tl_tree_build(tl_tree* tree, const tl_geometry* geometry, void* stream);
/* Moves the primitives of the last build and keeps the tree's structure: several times faster than
 * a build, but rays are slower, the further things have moved. Kind, count and number of vertices
 * must be those of the build; faces and weights are not read: triangles and patches keep theirs.
 * Patches also keep their number of pieces, so that rays are slower where they bend more. */
TL_API tl_status tl_tree_refit(tl_tree* tree, const tl_geometry* geometry, void* stream);
/* A mask for each primitive of the last build; a ray with a mask hits primitives that have a bit in
 * common with it. Null: all bits are set, as after a build. Not for points and instances. */
TL_API tl_status tl_tree_set_masks(tl_tree* tree, const uint32_t* masks, void* stream);

typedef struct tl_tree_info {
    TL_STRUCT_SIZE(tl_tree_info);
    tl_geometry_kind kind;
    const char* device;  /* "cuda" */
    const char* builder; /* "binned" */
    size_t n_primitives; /* of the last build */
    size_t n_dropped;    /* of these: left out for NaN, infinity or a bad index */
    size_t n_nodes;
    size_t bytes;             /* memory of the device */
    float lower[3], upper[3]; /* bounds; all 0 for an empty tree */
    double
        sah_cost; /* expected cost of a ray through the bounds, in primitive tests; 0 for points */
} tl_tree_info;

/* Waits for the tree. */
TL_API tl_status tl_tree_about(const tl_tree* tree, tl_tree_info* info);
/* The nodes of a tree in the memory of its device, for traversal by a program's own code:
 * treelight_traversal.h tells their layout. Valid until the tree is rebuilt or destroyed; a refit
 * changes what they point to. */
typedef struct tl_tree_nodes {
    TL_STRUCT_SIZE(tl_tree_nodes);
    const void* nodes;          /* of 64 bytes */
    const uint32_t* root;       /* index of the root */
    const uint32_t* primitives; /* index of the primitive in each slot of the leaves */
} tl_tree_nodes;

/* Not for points and patches. The caller's kernels come after the build in the same stream, or wait
 * for it. */
TL_API tl_status tl_tree_pointers(const tl_tree* tree, tl_tree_nodes* nodes);

/* Writes the tree's geometry and settings to a file, whole or not at all; reads one and builds its
 * tree, on any device. Masks are not kept. Not for instances. TL_BAD_FILE: it cannot be written or
 * read, or it is damaged. */
TL_API tl_status tl_tree_save(const tl_tree* tree, const char* path);
TL_API tl_status tl_tree_open(const char* device, const char* path, tl_tree** tree);

/* Rays. Hits count between t_min and t_max, in multiples of the direction, which need not have
 * length 1. */
typedef struct tl_rays {
    TL_STRUCT_SIZE(tl_rays);
    size_t count;
    tl_floats origins, directions;
    tl_floats t_min, t_max; /* one component, t_min from 0 up; null data: 0, and infinity */
    const uint32_t* masks;  /* null: rays hit all primitives */
    /* Not 0: each ray and the next have nearly the same direction, as those of a camera or towards
     * a small light. A GPU traces such rays sooner if it is told. Hits are the same. */
    int coherent;
} tl_rays;

/* Where hits are written, one for each ray; members may be null. */
typedef struct tl_hits {
    TL_STRUCT_SIZE(tl_hits);
    float* t;
    uint32_t* primitives; /* within its tree, for instances */
    uint32_t* instances;
    /* 2 each: a triangle's hit is (1 - u - v) a + u b + v c; a patch's hit has these parameters; 0
     * for other kinds. */
    float* uv;
    /* 3 each, of length 1; 0 without a hit. Whichever side is hit, of triangles along (b - a) x
     * (c - a), of patches along the derivatives by u x by v; of other kinds outwards. */
    float* normals;
} tl_hits;

/* The closest hit of each ray. */
TL_API tl_status tl_tree_closest(const tl_tree* tree, const tl_rays* rays, const tl_hits* hits,
                                 void* stream);
/* Whether a ray hits anything: 1 or 0. */
TL_API tl_status tl_tree_occluded(const tl_tree* tree, const tl_rays* rays, uint8_t* occluded,
                                  void* stream);
/* The number of primitives that each ray hits; spheres and boxes count once. Not for patches, nor
 * for builders that split primitives (kd-sah). */
TL_API tl_status tl_tree_count_hits(const tl_tree* tree, const tl_rays* rays, uint32_t* counts,
                                    void* stream);
/* The first k hits of each ray in order of t, at [k i, k i + k) of arrays of k * count; k is 1 to
 * 1024. `counts`: null, or the number of hits found, at most k. A ray may hit a patch several
 * times; where it only touches one, it may be listed more than once. */
TL_API tl_status tl_tree_all_hits(const tl_tree* tree, const tl_rays* rays, int k,
                                  const tl_hits* hits, uint32_t* counts, void* stream);
/* All hits of each ray in order of t, those of ray i at [offsets[i], offsets[i + 1]). Offsets, with
 * one element more than rays, are the sums of the numbers of tl_tree_count_hits(), beginning with
 * 0. Equal t are in the order of the instances, then of the primitives. Waits for offsets on a GPU.
 * For the trees of tl_tree_count_hits(). */
TL_API tl_status tl_tree_list_hits(const tl_tree* tree, const tl_rays* rays,
                                   const uint64_t* offsets, const tl_hits* hits, void* stream);

/* Where closest points are written, one for each query; members may be null. */
typedef struct tl_closest_points {
    TL_STRUCT_SIZE(tl_closest_points);
    float* distances;
    float* positions; /* 3 each; where there is none, the query itself */
    uint32_t* primitives;
    float* uv; /* 2 each, as for hits */
} tl_closest_points;

/* The closest point of triangles, boxes (the solid) or spheres (the surface) to each query, no
 * further than `most_distance` (INFINITY: any). */
TL_API tl_status tl_tree_closest_point(const tl_tree* tree, const tl_floats* queries, size_t count,
                                       float most_distance, const tl_closest_points* out,
                                       void* stream);
/* The generalised winding number of triangles about each query (Jacobson et al. 2013): 1 inside and
 * 0 outside of a closed mesh whose faces are counter-clockwise seen from outside, between them near
 * holes. A subtree further than `accuracy` times its radius is summed by a series (Barill et al.
 * 2018): with 2, which 0 also means, numbers err by at most about .006, with 5 by .0001. The first
 * call after a build or a refit prepares the series, 112 bytes a triangle. */
TL_API tl_status tl_tree_winding_number(const tl_tree* tree, const tl_floats* queries, size_t count,
                                        float accuracy, float* numbers, void* stream);
/* The distance to the triangles, negative where the winding number is above 1/2; for this sign it
 * errs by up to about .06. */
TL_API tl_status tl_tree_signed_distance(const tl_tree* tree, const tl_floats* queries,
                                         size_t count, float* distances, void* stream);
/* The same on a grid: distances[(z * size[1] + y) * size[0] + x] is that of origin + spacing (x, y,
 * z), per axis. The first call after a build or a refit finds the mesh's open edges, 12 bytes a
 * triangle: far from these, one sum decides the signs of many points. */
TL_API tl_status tl_tree_signed_distance_grid(const tl_tree* tree, const float origin[3],
                                              const float spacing[3], const int size[3],
                                              float* distances, void* stream);
/* 1 where the winding number is above 1/2, else 0. */
TL_API tl_status tl_tree_inside(const tl_tree* tree, const tl_floats* queries, size_t count,
                                uint8_t* inside, void* stream);

/* The number of triangles, boxes or spheres that each box meets, its border included. */
TL_API tl_status tl_tree_count_in_boxes(const tl_tree* tree, const tl_floats* lower,
                                        const tl_floats* upper, size_t count, uint32_t* counts,
                                        void* stream);
/* These primitives, for box i from primitives[offsets[i]] on, in no order. `offsets`: count + 1
 * numbers, offsets[0] = 0 and offsets[i + 1] = offsets[i] + counts[i]. */
TL_API tl_status tl_tree_list_in_boxes(const tl_tree* tree, const tl_floats* lower,
                                       const tl_floats* upper, size_t count,
                                       const uint64_t* offsets, uint32_t* primitives, void* stream);
/* All pairs of a triangle of `a` and one of `b` that meet, as two indices each, in no order. Writes
 * at most `capacity` pairs, and sets `count` to the number of all. Waits. With a = b a pair is
 * found once, smaller index first, and triangles that share a vertex's coordinates do not count. */
TL_API tl_status tl_tree_pairs(const tl_tree* a, const tl_tree* b, size_t capacity, uint32_t* pairs,
                               size_t* count, void* stream);

/* The k points (1 to 128) of a tree of points that are nearest to each query and closer than
 * `radius`, nearest first, at [k i, k i + k) of both arrays; one of these may be null. */
TL_API tl_status tl_tree_nearest(const tl_tree* tree, const tl_floats* queries, size_t count, int k,
                                 float radius, uint32_t* indices, float* distances, void* stream);
/* The number of points closer than `radius` to each query, and their list, as for boxes. */
TL_API tl_status tl_tree_count_within(const tl_tree* tree, const tl_floats* queries, size_t count,
                                      float radius, uint32_t* counts, void* stream);
TL_API tl_status tl_tree_list_within(const tl_tree* tree, const tl_floats* queries, size_t count,
                                     float radius, const uint64_t* offsets, uint32_t* indices,
                                     float* distances, void* stream);
/* Points per volume about each query: k points in the ball to the k-th nearest; 0 with fewer. */
TL_API tl_status tl_tree_density(const tl_tree* tree, const tl_floats* queries, size_t count, int k,
                                 float* densities, void* stream);

/* The sum over the points of a tree of points of weight * K(|query - point|), and its gradient, by
 * the fast multipole method: kernels, accuracy and report are those of tl_fmm(), and `options`,
 * `gradients` (3 for each query) and `report` may be null. `weights`: one component, one for each
 * point of the build; null, or null data: 1. `queries`: null, or null data: the tree's own points,
 * `count` of them, each without its own part where K has no value at 0. Points that the tree has
 * left out have no part in sums; queries with NaN or infinite coordinates have the sum NaN. Works
 * on the tree's device and in the stream's order, as other queries do, but waits there for sizes
 * and for the error. Numbers are rounded to float: 6e-8 of each. */
TL_API tl_status tl_tree_sum(const tl_tree* tree, const tl_floats* weights,
                             const tl_floats* queries, size_t count, const tl_fmm_options* options,
                             float* sums, float* gradients, tl_fmm_report* report, void* stream);

#ifdef __cplusplus
}
#endif

#endif
