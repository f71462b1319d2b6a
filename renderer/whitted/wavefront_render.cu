// The wavefront, level by level: trace, classify, scan, compact, bounce.
#include <algorithm>
#include <vector>

#include "renderer/whitted/wavefront_passes.h"
#include "renderer/whitted/wavefront_render.h"

TL_DEVICE_BEGIN

namespace {

/// Shade trees on the host.
struct TreeCopy {
    std::vector<ShadeNode> nodes;
    std::vector<Hit> leaf_hits;
    std::vector<Reflection> reflections;
    std::vector<Refraction> refractions;
    std::vector<vec4> values;

    TreeCopy(Stream& stream, const ShadeTreeView& trees, View<const vec4> node_values) {
        auto download = [&](auto& to, auto from) {
            to.resize(from.size);
            if (!from.empty())
                stream.device().download(stream, to.data(), from.data, from.size * sizeof(to[0]));
        };
        download(nodes, trees.nodes);
        download(leaf_hits, trees.leaf_hits);
        download(reflections, trees.reflections);
        download(refractions, trees.refractions);
        download(values, node_values);
    }
    /// Appends the subtree of a node whose radiance has the factor `weight` in its parent's.
    void append(PixelTree& tree, std::uint32_t index, vec3 weight, vec3 in_parent,
                int depth) const {
        ShadeNode node = nodes[index];
        vec3 in_pixel = in_parent * weight;
        PixelTree::Node copy{static_cast<PixelTree::State>(node.state()),
                             depth,
                             0,
                             weight,
                             in_pixel,
                             vec3(values[index]),
                             static_cast<std::uint32_t>(values[index].w)};
        copy.distance = kInfinity;
        if (node.state() == ShadeNode::kLeaf) copy.distance = leaf_hits[node.reference()].t;
        if (node.state() == ShadeNode::kReflection) copy.n_children = 1;
        if (node.state() == ShadeNode::kRefraction) copy.n_children = 2;
        tree.nodes.push_back(copy);
        if (copy.n_children == 1) {
            const Reflection& r = reflections[node.reference()];
            append(tree, r.child, r.weight, in_pixel, depth + 1);
        } else if (copy.n_children == 2) {
            const Refraction& r = refractions[node.reference()];
            append(tree, r.child, r.weight0, in_pixel, depth + 1);
            append(tree, r.child + 1, r.weight1, in_pixel, depth + 1);
        }
    }
};

// --- the loop -----------------------------------------------------------------------------------

/// One chunk of the picture: its buffers, and the launches. Kernels of scenes without patches spend
/// no registers on them.
template <bool kPatches>
struct Chunk {
    const WhittedJob& job;
    Scratch& scratch;
    Stream& stream;
    View<WavefrontCounts> counts;
    std::uint32_t first_item = 0, n_items = 0;
    int n_levels = 0;  ///< levels with capacity
    WaveLevel levels[kWavefrontLevels + 1]{};

    void render(const std::array<std::uint32_t, kWavefrontLevels>& room) {
        make_levels(room);
        make_camera_rays();
        auto pipeline = job.frame.config.pipeline;
        if (pipeline == WhittedPipeline::wavefront)
            render_forward();
        else
            render_trees(pipeline == WhittedPipeline::by_level);
    }
    void make_levels(const std::array<std::uint32_t, kWavefrontLevels>& room) {
        std::uint32_t most = 0;
        while (n_levels < kWavefrontLevels && room[static_cast<std::size_t>(n_levels)] > 0)
            most = std::max(most, room[static_cast<std::size_t>(n_levels++)]);
        View<PathRay> rays[2] = {scratch.take<PathRay>(most), scratch.take<PathRay>(most)};
        auto hits = scratch.take<Hit>(most);
        auto classes = scratch.take<std::uint64_t>(most);
        auto scan = scratch.take<std::uint64_t>(most);
        for (int l = 0; l <= n_levels; ++l) {
            std::uint32_t capacity = l < n_levels ? room[static_cast<std::size_t>(l)] : 0;
            levels[l] = {capacity, static_cast<std::uint32_t>(l), rays[l % 2],
                         hits,     {classes.data, capacity},      {scan.data, capacity}};
        }
    }
    void make_camera_rays() const {
        WhittedFrame frame = job.frame;
        CameraRays camera = job.camera;
        PixelOrder order = job.order;
        FilmView film = job.film;
        auto width = static_cast<std::uint32_t>(film.extent.width);
        auto rays = levels[0].rays;
        auto out = counts;
        std::uint32_t first = first_item, n = n_items;
        parallel_for(
            stream, "camera rays", levels[0].capacity, TL_LAMBDA(std::uint32_t i) {
                if (i == 0) {
                    WavefrontCounts& c = out[0];
                    for (auto& level : c.n_rays) level = 0;
                    c.n_rays[0] = n;
                    c.n_leaves = c.n_overflows = 0;
                }
                if (i >= n) return;
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) {
                    rays[i].pixel = kNoPixel;
                    return;
                }
                std::uint32_t pixel = y * width + x;
                film.ray_count[pixel] = 0;
                if (film.is_done(pixel))
                    rays[i].pixel = kNoPixel;
                else
                    store_vectorized(rays[i], camera_ray(camera, frame, x, y, pixel));
            });
    }
    [[nodiscard]] LevelPass<kPatches> pass(int l) const {
        return {job.frame, levels[l], levels[l + 1], counts.data};
    }
    /// Traces level `l`, classifies its hits, and scans the classes.
    void trace(int l) const {
        trace_level(scratch, job.frame, levels[l], counts.data);
        LevelPass<kPatches> at = pass(l);
        parallel_for(
            stream, "classify hits", levels[l].capacity,
            TL_LAMBDA(std::uint32_t i) { at.classify(i); });
        exclusive_scan<std::uint64_t>(scratch, levels[l].classes, levels[l].scan);
    }
    void finish(int l, bool count_all_leaves) const {
        LevelPass<kPatches> at = pass(l);
        parallel_for(
            stream, "count rays", 1, TL_LAMBDA(std::uint32_t) { at.finish(count_all_leaves); });
    }

    void render_forward() const {
        std::uint32_t most = levels[0].capacity;
        for (int l = 1; l < n_levels; ++l) most = std::max(most, levels[l].capacity);
        ForwardPass<kPatches> forward{{},
                                      scratch.take<vec4>(most),
                                      scratch.take<std::uint32_t>(most),
                                      scratch.take<std::uint32_t>(most)};
        FilmView film = job.film;
        for (int l = 0; l < n_levels; ++l) {
            trace(l);
            forward.at = pass(l);
            ForwardPass<kPatches> level = forward;
            parallel_for(
                stream, "bounce", levels[l].capacity,
                TL_LAMBDA(std::uint32_t i) { level.bounce(i); });
            finish(l, false);
            LeafPass leaves{levels[l].rays, levels[l].hits, forward.leaves, &counts.data->n_leaves,
                            forward.values, true,           false};
            shade_leaves(stream, job.frame, leaves, levels[l].capacity);
            leaves.list = forward.overflows;
            leaves.count = &counts.data->n_overflows;
            leaves.follow = true;
            shade_leaves(stream, job.frame, leaves, levels[l].capacity);
            auto out = counts;
            parallel_for(
                stream, "add to film", levels[l].capacity, TL_LAMBDA(std::uint32_t i) {
                    if (i == 0) out[0].n_overflows = 0;
                    level.accumulate(film, i);
                });
        }
    }

    void render_trees(bool by_level) const {
        std::size_t n_nodes = 0;
        for (int l = 0; l < n_levels; ++l) n_nodes += levels[l].capacity;
        std::size_t n_children = n_nodes - levels[0].capacity;
        ShadeTreeView trees{
            scratch.take<ShadeNode>(n_nodes),     scratch.take<PathRay>(n_nodes),
            scratch.take<Hit>(n_nodes),           scratch.take<std::uint32_t>(n_nodes),
            scratch.take<Reflection>(n_children), scratch.take<Refraction>(n_children)};
        auto values = scratch.take<vec4>(n_nodes);
        std::vector<TreePass<kPatches>> passes;
        std::uint32_t first = 0;
        for (int l = 0; l < n_levels; ++l) {
            std::uint32_t next = first + levels[l].capacity;
            passes.push_back({pass(l), trees, first, next, next - levels[0].capacity, values});
            trace(l);
            TreePass<kPatches> level = passes.back();
            parallel_for(
                stream, "compact hits and bounce", levels[l].capacity,
                TL_LAMBDA(std::uint32_t i) { level.bounce(i); });
            finish(l, true);
            first = next;
        }
        auto leaf_values = light_leaves(trees);
        if (by_level)
            evaluate_by_level(passes, leaf_values);
        else
            evaluate_post_order(stream, job.frame.scene, trees, leaf_values,
                                {values.data, levels[0].capacity});
        write_film(values);
        if (job.copy) TreeCopy(stream, trees, values).append(*job.copy, 0, vec3(1), vec3(1), 0);
    }
    [[nodiscard]] View<const vec4> light_leaves(const ShadeTreeView& trees) const {
        auto n = static_cast<std::uint32_t>(trees.leaf_rays.size);
        auto values = scratch.take<vec4>(n);
        LeafPass leaves{trees.leaf_rays, trees.leaf_hits, {},   &counts.data->n_leaves,
                        values,          false,           false};
        shade_leaves(stream, job.frame, leaves, n);
        leaves.list = trees.overflows;
        leaves.count = &counts.data->n_overflows;
        leaves.follow = true;
        shade_leaves(stream, job.frame, leaves, n);
        return values;
    }
    void evaluate_by_level(const std::vector<TreePass<kPatches>>& passes,
                           View<const vec4> leaf_values) const {
        for (auto pass = passes.rbegin(); pass != passes.rend(); ++pass) {
            TreePass<kPatches> level = *pass;
            parallel_for(
                stream, "evaluate level", level.at.level.capacity,
                TL_LAMBDA(std::uint32_t i) { level.evaluate(leaf_values, i); });
        }
    }
    void write_film(View<const vec4> values) const {
        FilmView film = job.film;
        PixelOrder order = job.order;
        std::uint32_t first = first_item, sample = job.frame.sample;
        parallel_for(
            stream, "write film", n_items, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                if (film.is_done(pixel)) return;
                film.add(pixel, sample, vec3(values[i]));
                film.ray_count[pixel] = static_cast<std::uint32_t>(values[i].w);
            });
    }
};

}  // namespace

void render_wavefront(const WhittedJob& job, WavefrontPlan& plan, Scratch& scratch,
                      StageTimer& timer) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::uint32_t n_items = job.order.n_items;
    std::uint32_t chunk_size = std::min(n_items, WavefrontPlan::kChunk);
    auto room = plan.capacities(chunk_size, job.frame.config.max_depth);
    auto counts = scratch.take<WavefrontCounts>(1);
    stream.device().fill_zero(stream, counts.data, sizeof(WavefrontCounts));
    for (std::uint32_t first = 0; first < n_items; first += chunk_size) {
        StageTimer::Scope stage(timer, "trace and shade", StageKind::trace);
        Scratch::Scope chunk_scope(scratch);
        std::uint32_t n = std::min(chunk_size, n_items - first);
        if (job.frame.scene.tree.patches.empty())
            Chunk<false>{job, scratch, stream, counts, first, n}.render(room);
        else
            Chunk<true>{job, scratch, stream, counts, first, n}.render(room);
    }
    plan.read_back(stream, counts.data);
}

TL_DEVICE_END
