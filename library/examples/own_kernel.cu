// A kernel of one's own over the nodes of a tree: the thickness of a mesh along a ray, which none
// of the library's queries gives, by a functor for the leaves. Compare cuBQL's traversal templates.
//
//     nvcc -O3 -std=c++17 --extended-lambda own_kernel.cu $(pkg-config --cflags --libs treelight)
//     -o own_kernel
#include <treelight_traversal.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kRings = 400, kRays = 1'000'000;

void check(bool fine, const char* what) {
    if (fine) return;
    std::fprintf(stderr, "%s: %s\n", what, tl_last_error());
    std::exit(1);
}

template <class T>
T* to_gpu(const std::vector<T>& values) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, values.size() * sizeof(T)) == cudaSuccess, "memory");
    cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return static_cast<T*>(memory);
}

struct Mesh {
    const float3* vertices;
    const uint3* faces;
};

__device__ float3 minus(float3 a, float3 b) {
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__device__ float dot(float3 a, float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Distance along the ray, with the sign of the side that is hit; 0 for a miss.
__device__ float signed_hit(const Mesh& mesh, std::uint32_t face, float3 origin, float3 direction) {
    const uint3 f = mesh.faces[face];
    const float3 a = mesh.vertices[f.x], e1 = minus(mesh.vertices[f.y], a),
                 e2 = minus(mesh.vertices[f.z], a), q = cross(direction, e2);
    const float determinant = dot(e1, q);
    const float3 from = minus(origin, a), r = cross(from, e1);
    const float u = dot(from, q) / determinant, v = dot(direction, r) / determinant;
    if (!(u >= 0 && v >= 0 && u + v <= 1)) return 0;
    const float t = dot(e2, r) / determinant;
    return determinant > 0 ? -t : t;  // in through front faces, out through back faces
}

/// Sums where rays along z leave and enter the solid.
__global__ void find_thickness(treelight::TreeView tree, Mesh mesh, float* thickness) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= kRays) return;
    const float3 from = make_float3(2.0f * static_cast<float>(i % 1000) / 999 - 1,
                                    2.0f * static_cast<float>(i / 1000) / 999 - 1, 5);
    const float3 down = make_float3(0, 0, -1);
    const float origin[3] = {from.x, from.y, from.z}, direction[3] = {0, 0, -1};
    const float all = INFINITY;
    float sum = 0;
    treelight::for_each_on_ray(tree, origin, direction, 0.0f, all, [&](std::uint32_t face) {
        sum += signed_hit(mesh, face, from, down);
        return true;
    });
    thickness[i] = sum;
}

}  // namespace

int main() {
    // A unit sphere.
    std::vector<float3> vertices;
    std::vector<uint3> faces;
    for (int ring = 0; ring <= kRings; ++ring)
        for (int k = 0; k <= 2 * kRings; ++k) {
            const double theta = M_PI * ring / kRings, phi = M_PI * k / kRings;
            vertices.push_back(make_float3(static_cast<float>(std::sin(theta) * std::cos(phi)),
                                           static_cast<float>(std::sin(theta) * std::sin(phi)),
                                           static_cast<float>(std::cos(theta))));
        }
    for (unsigned ring = 0; ring < kRings; ++ring)
        for (unsigned k = 0; k < 2 * kRings; ++k) {
            const unsigned a = ring * (2 * kRings + 1) + k, b = a + 1, c = a + 2 * kRings + 1;
            faces.push_back(make_uint3(a, c, b));
            faces.push_back(make_uint3(b, c, c + 1));
        }
    const Mesh mesh{to_gpu(vertices), to_gpu(faces)};
    float* thickness = to_gpu(std::vector<float>(kRays));
    tl_geometry geometry{};
    geometry.kind = TL_TRIANGLES;
    geometry.count = faces.size();
    geometry.positions = {&mesh.vertices->x, 0, 0};
    geometry.n_positions = vertices.size();
    geometry.faces = &mesh.faces->x;
    tl_tree* tree = nullptr;
    tl_tree_nodes nodes{};
    check(!tl_tree_create("cuda", nullptr, 0, &tree), "tree");
    check(!tl_tree_build(tree, &geometry, nullptr), "build");
    check(!tl_tree_pointers(tree, &nodes), "nodes");
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float ms = 0;
    for (int k = 0; k < 3; ++k) {
        cudaEventRecord(start);
        find_thickness<<<(kRays + 127) / 128, 128>>>(treelight::TreeView(nodes), mesh, thickness);
        cudaEventRecord(end);
        check(cudaEventSynchronize(end) == cudaSuccess, "kernel");
        cudaEventElapsedTime(&ms, start, end);
    }
    std::vector<float> found(kRays);
    cudaMemcpy(found.data(), thickness, kRays * sizeof(float), cudaMemcpyDeviceToHost);
    double volume = 0;
    for (float t : found) volume += static_cast<double>(t) * 4 / kRays;
    std::printf("%zu triangles, %d rays in %.2f ms: volume %.4f, of the sphere %.4f\n",
                faces.size(), kRays, static_cast<double>(ms), volume, 4 * M_PI / 3);
    tl_tree_destroy(tree);
    return std::abs(volume - 4 * M_PI / 3) < 0.02 ? 0 : 1;
}
