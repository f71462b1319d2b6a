// A surface in motion on a GPU: a kernel moves the vertices, the tree is refitted, and rays ask
// where they hit. All arrays stay on the GPU, and all work is on one stream of this program's own.
//
//     nvcc -O3 -std=c++17 deforming.cu $(pkg-config --cflags --libs treelight) -o deforming
#include <treelight_trees.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kSize = 364, kVertices = kSize * kSize, kFaces = 2 * (kSize - 1) * (kSize - 1);
constexpr int kRays = 1'000'000, kSteps = 100;

void check(bool fine, const char* what) {
    if (fine) return;
    std::fprintf(stderr, "%s: %s\n", what, tl_last_error());
    std::exit(1);
}

template <class T>
T* on_gpu(std::size_t n) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(T)) == cudaSuccess, "memory");
    return static_cast<T*>(memory);
}

__global__ void make_faces(unsigned* faces) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), n = kSize - 1;
    if (i >= n * n) return;
    unsigned a = static_cast<unsigned>(i / n * kSize + i % n), b = a + 1, c = b + kSize,
             d = a + kSize;
    const unsigned both[6] = {a, b, c, a, c, d};
    for (int k = 0; k < 6; ++k) faces[6 * i + k] = both[k];
}

__global__ void move(float* vertices, float phase) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= kVertices) return;
    float x = static_cast<float>(i % kSize) / (kSize - 1);
    float y = static_cast<float>(i / kSize) / (kSize - 1);
    vertices[3 * i] = x;
    vertices[3 * i + 1] = y;
    vertices[3 * i + 2] = 0.05f * sinf(20 * x + phase) * cosf(15 * y);
}

/// Rays from above in all directions.
__global__ void make_rays(float* origins, float* directions) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= kRays) return;
    unsigned random = static_cast<unsigned>(i) * 2654435761u;
    float numbers[4];
    for (float& number : numbers) {
        random = random * 1664525u + 1013904223u;
        number = static_cast<float>(random >> 8) / 16777216.0f;
    }
    const float origin[3] = {numbers[0], numbers[1], 1};
    const float direction[3] = {numbers[2] - 0.5f, numbers[3] - 0.5f, -1};
    for (int c = 0; c < 3; ++c) {
        origins[3 * i + c] = origin[c];
        directions[3 * i + c] = direction[c];
    }
}

constexpr int blocks_for(int n) {
    return (n + 127) / 128;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream) == cudaSuccess, "stream");
    auto* vertices = on_gpu<float>(3 * kVertices);
    auto* faces = on_gpu<unsigned>(3 * kFaces);
    auto* origins = on_gpu<float>(3 * kRays);
    auto* directions = on_gpu<float>(3 * kRays);
    auto* t = on_gpu<float>(kRays);
    auto* primitives = on_gpu<std::uint32_t>(kRays);
    make_faces<<<blocks_for(kFaces / 2), 128, 0, stream>>>(faces);
    move<<<blocks_for(kVertices), 128, 0, stream>>>(vertices, 0);
    make_rays<<<blocks_for(kRays), 128, 0, stream>>>(origins, directions);

    tl_geometry mesh{};
    mesh.kind = TL_TRIANGLES;
    mesh.count = kFaces;
    mesh.positions = {vertices, 0, 0};
    mesh.n_positions = kVertices;
    mesh.faces = faces;
    tl_rays rays{};
    rays.count = kRays;
    rays.origins = {origins, 0, 0};
    rays.directions = {directions, 0, 0};
    const tl_hits hits{sizeof(tl_hits), t, primitives, nullptr, nullptr, nullptr};
    const tl_setting unchecked[] = {{"check-indices", "false"}};
    tl_tree* tree = nullptr;
    check(!tl_tree_create("cuda", unchecked, 1, &tree), "tree");
    check(!tl_tree_build(tree, &mesh, stream), "build");
    check(!tl_tree_refit(tree, &mesh, stream) && !tl_tree_closest(tree, &rays, &hits, stream),
          "first step");
    check(cudaStreamSynchronize(stream) == cudaSuccess, "first step");

    auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < kSteps; ++step) {
        move<<<blocks_for(kVertices), 128, 0, stream>>>(vertices, 0.1f * static_cast<float>(step));
        check(!tl_tree_refit(tree, &mesh, stream), "refit");
        check(!tl_tree_closest(tree, &rays, &hits, stream), "rays");
    }
    double called = seconds_since(start);
    check(cudaStreamSynchronize(stream) == cudaSuccess, "steps");
    double taken = seconds_since(start);

    // The cost of a call itself: one ray.
    rays.count = 1;
    constexpr int kCalls = 10'000;
    start = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call)
        check(!tl_tree_closest(tree, &rays, &hits, stream), "one ray");
    double calls = seconds_since(start);
    check(cudaStreamSynchronize(stream) == cudaSuccess, "one ray");

    std::vector<float> found(kRays);
    cudaMemcpy(found.data(), t, kRays * sizeof(float), cudaMemcpyDeviceToHost);
    int n_hits = 0;
    for (float x : found) n_hits += x < 1e30f;
    std::printf(
        "%d steps of %d triangles and %d rays: %.1f ms, given in %.1f ms; %d rays hit at the "
        "end; a call takes %.1f us\n",
        kSteps, kFaces, kRays, 1000 * taken, 1000 * called, n_hits, 1e6 * calls / kCalls);
    tl_tree_destroy(tree);
    return n_hits > kRays / 2 ? 0 : 1;
}
