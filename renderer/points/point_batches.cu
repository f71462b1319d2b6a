#include "renderer/points/point_batches.h"

#include "accel/bvh/builders/ordered_box.h"
#include "accel/morton.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/images/srgb.h"
#include "renderer/shading/texture.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kKeyBits = 30;

/// The spheres of a scene as points.
struct SpherePoints {
    SceneView scene;

    TL_D vec3 position(std::uint32_t i) const { return scene.spheres[i].center; }
    TL_D float radius(std::uint32_t i) const { return scene.spheres[i].radius; }
    TL_D vec3 color(std::uint32_t i) const {
        const MaterialData& material = scene.materials[scene.spheres[i].material];
        vec3 own = scene.sphere_colors ? scene.sphere_colors[i] : vec3(1);
        return own * (material.layers >= 0 ? scene.layers[material.layers].base : material.diffuse);
    }
};

/// The splats of a scene as points.
struct SplatPoints {
    SceneView scene;

    TL_D vec3 position(std::uint32_t i) const { return scene.splats.splats[i].center; }
    TL_D float radius(std::uint32_t i) const { return scene.splats.splats[i].radius; }
    TL_D vec3 color(std::uint32_t i) const {
        const SplatData& splat = scene.splats.splats[i];
        const MaterialData& material = scene.materials[splat.material];
        return vec3(splat.color.r, splat.color.g, splat.color.b) / 65535.0f *
               (material.layers >= 0 ? scene.layers[material.layers].base : material.diffuse);
    }
};

/// The vertices of a scene's meshes as points.
struct VertexPoints {
    SceneView scene;
    /// Material of each vertex, from 1; 0: the vertex has no triangle.
    View<const std::uint32_t> materials;

    TL_D vec3 position(std::uint32_t i) const { return scene.positions[i]; }
    TL_D float radius(std::uint32_t) const { return 0; }
    TL_D vec3 color(std::uint32_t i) const {
        if (materials[i] == 0) return vec3(0.8f);
        const MaterialData& material = scene.materials[materials[i] - 1];
        vec3 color = material.layers >= 0 ? scene.layers[material.layers].base : material.diffuse;
        if (scene.colors) color *= scene.colors[i];
        if (material.diffuse_texture >= 0)
            color *= vec3(sample_texture(scene, material.diffuse_texture, scene.uvs[i], 0));
        return color;
    }
};

/// The material of each vertex: the last one among those of its triangles.
void find_materials(Stream& stream, const SceneView& scene, View<std::uint32_t> materials) {
    stream.device().fill_zero(stream, materials.data, materials.size * sizeof(std::uint32_t));
    SceneView view = scene;
    parallel_for(
        stream, "materials of vertices", scene.n_triangles, TL_LAMBDA(std::uint32_t i) {
            auto material = static_cast<std::uint32_t>(view.triangle_materials[i]) + 1;
            // Vertices after these belong to the surfaces of lights.
            for (int k = 0; k < 3; ++k)
                if (view.triangles[i][k] < materials.size)
                    atomic_max(&materials.data[view.triangles[i][k]], material);
        });
}

TL_D std::uint32_t packed_color(vec3 linear) {
    std::uint32_t packed = 255u << 24;
    for (int c = 0; c < 3; ++c) {
        float shown = srgb_from_linear(minimum(maximum(linear[c], 0.0f), 1.0f));
        packed |= static_cast<std::uint32_t>(shown * 255 + 0.5f) << (8 * c);
    }
    return packed;
}

/// Slot of point `i` in a full batch: its bits reversed, so that any prefix is spread along the
/// curve.
TL_D std::uint32_t spread_place(std::uint32_t i) {
    std::uint32_t place = 0;
    for (int bit = 0; bit < 10; ++bit) place |= (i >> bit & 1) << (9 - bit);
    return place;
}
static_assert(PointBatch::kMostPoints == 1 << 10);

/// Packs a batch: its box, and its points on a grid within.
template <class Points>
struct PackPass {
    static constexpr int kThreads = 256;
    Points points;
    View<const std::uint32_t> order;
    std::uint32_t first_batch, first_number;
    View<PointBatch> batches;
    View<std::uint32_t> high, low, colors, numbers;

    struct Shared {
        OrderedBox box;
        std::uint32_t radius;  ///< float bits of the largest radius
    };
    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        constexpr auto kMost = PointBatch::kMostPoints;
        constexpr float kSteps = 1 << PointBatch::kBits;
        if (block.rank == 0) {
            shared.box.clear();
            shared.radius = 0;
        }
        block.sync();
        std::uint32_t first = block.index * kMost;
        auto left = static_cast<std::uint32_t>(order.size) - first;
        std::uint32_t n = left < kMost ? left : kMost;
        Box box;
        float radius = 0;
        for (std::uint32_t i = block.rank; i < n; i += block.size) {
            box.extend(points.position(order[first + i]));
            radius = maximum(radius, points.radius(order[first + i]));
        }
        shared.box.extend_by_all(box);
        block_max_of_all(&shared.radius, bits_of_float(radius));
        block.sync();
        box = shared.box.box();
        PointBatch batch{box.lo, n, (box.hi - box.lo) / kSteps, float_of_bits(shared.radius)};
        if (block.rank == 0) batches[first_batch + block.index] = batch;
        std::uint32_t to = (first_batch + block.index) * kMost;
        for (std::uint32_t i = block.rank; i < n; i += block.size) {
            std::uint32_t number = order[first + i];
            vec3 p = points.position(number);
            std::uint32_t upper = 0, lower = 0;
            for (int axis = 0; axis < 3; ++axis) {
                float place =
                    batch.step[axis] > 0 ? (p[axis] - batch.lo[axis]) / batch.step[axis] : 0.0f;
                auto step = static_cast<std::uint32_t>(minimum(maximum(place, 0.0f), kSteps - 1));
                upper = upper << 10 | step >> 10;
                lower = lower << 10 | (step & 1023);
            }
            std::uint32_t at = to + (n == kMost ? spread_place(i) : i);
            high[at] = upper;
            low[at] = lower;
            colors[at] = packed_color(points.color(number));
            numbers[at] = first_number + number;
        }
    }
};

std::uint32_t batches_of(std::uint32_t n) {
    return (n + PointBatch::kMostPoints - 1) / PointBatch::kMostPoints;
}

template <class Points>
void pack(Scratch& scratch, const Points& points, std::uint32_t n, std::uint32_t first_batch,
          std::uint32_t first_number, const Box& bounds, PointBatches& to) {
    if (n == 0) return;
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto grid = MortonGrid::make(bounds, kKeyBits);
    auto take = [&] {
        return Pairs<std::uint32_t>{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    };
    auto pairs = take(), spare = take();
    parallel_for(
        stream, "keys of points", n, TL_LAMBDA(std::uint32_t i) {
            pairs.keys[i] = grid.template code<std::uint32_t>(points.position(i));
            pairs.values[i] = i;
        });
    pairs = sort_pairs(scratch, pairs, spare, 0, kKeyBits);
    launch_blocks<PackPass<Points>::kThreads>(
        stream, "pack points", batches_of(n),
        PackPass<Points>{points, pairs.values, first_batch, first_number, to.batches.view(),
                         to.high.view(), to.low.view(), to.colors.view(), to.numbers.view()});
}

}  // namespace

void make_point_batches(Scratch& scratch, const SceneView& scene, const PointCounts& counts,
                        const Box& bounds, PointBatches& points) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::uint32_t of_spheres = batches_of(counts.spheres), of_splats = batches_of(counts.splats);
    std::uint32_t n = of_spheres + of_splats + batches_of(counts.vertices);
    std::size_t room = std::size_t{n} * PointBatch::kMostPoints;
    points.counts = counts;
    points.batches.resize_discard(stream, n);
    for (auto* array : {&points.high, &points.low, &points.colors, &points.numbers})
        array->resize_discard(stream, room);
    pack(scratch, SpherePoints{scene}, counts.spheres, 0, 0, bounds, points);
    pack(scratch, SplatPoints{scene}, counts.splats, of_spheres, counts.spheres, bounds, points);
    if (counts.vertices == 0) return;
    auto materials = scratch.take<std::uint32_t>(counts.vertices);
    find_materials(stream, scene, materials);
    pack(scratch, VertexPoints{scene, materials}, counts.vertices, of_spheres + of_splats,
         counts.spheres + counts.splats, bounds, points);
}

TL_DEVICE_END
