// The C interface over trees: making, building and describing them.
#include "accel/query/tree_report.h"
#include "core/device/registry.h"
#include "library/api/struct_size.h"
#include "library/api/tree_call.h"

namespace tl {
namespace {

/// Slower to build than "hploc", for trees that are searched several times faster.
constexpr const char* kDefaultBuilder = "binned";

/// Reads a setting of tl_tree_create(). Throws UsageError.
void read_setting(tl_tree& tree, const std::string& name, const std::string& value) {
    if (name == "builder") {
        tree.builder = find_row(tree_builders(), value, "builder").id;
    } else if (name == "check-indices") {
        if (value != "true" && value != "false")
            throw UserError("setting check-indices does not accept '" + value +
                            "': it wants true or false");
        tree.check_indices = value == "true";
    } else {
        auto settings = tree.config.settings();
        // "tree-robust" or "robust"
        const std::string id = name.starts_with("tree-") ? name.substr(5) : name;
        auto own = std::ranges::find(settings, id, [](auto& setting) { return setting->id; });
        if (own != settings.end() && id != "update")
            own->set(value);
        else
            tree.builder_settings.emplace_back(name, value);
    }
}

}  // namespace

std::unique_ptr<tl_tree> make_tree(const std::string& device, const TreeSettings& settings) {
    auto tree = std::make_unique<tl_tree>(find_device(device));
    tree->builder = kDefaultBuilder;
    tree->settings = settings;
    for (const auto& [name, value] : settings) read_setting(*tree, name, value);
    tree->start(TL_TRIANGLES);
    write_tree(*tree, nullptr, [&](Scratch& scratch, CallArrays&) {
        tree->shapes->build(scratch, ShapesView{}, false);
    });
    return tree;
}

namespace {

/// Throws UserError where the arrays of a geometry are missing, or are too large. `moves`: it is
/// that of a refit, which has its faces.
void check_geometry(const tl_tree& tree, const tl_geometry& g, bool moves) {
    if (!is_within(g.kind, TL_TRIANGLES, TL_PATCHES)) throw UserError("unknown geometry");
    if (g.count > kMaxPrimitives || g.n_positions > UINT32_MAX)
        throw UserError("a tree has at most " + std::to_string(kMaxPrimitives) + " primitives");
    if (g.count == 0) return;
    if (g.kind == TL_INSTANCES) {
        if (!g.trees || !g.transforms) throw UserError("trees or transforms are null");
        for (std::size_t i = 0; i < g.count; ++i) {
            const tl_tree* of = g.trees[i];
            std::string which = "instance " + std::to_string(i);
            if (!of || of == &tree) throw UserError(which + " has no tree of its own");
            if (&of->device != &tree.device) throw UserError(which + " is on another device");
            if (!of->shapes || (of->kind != TL_TRIANGLES && of->kind != TL_SPHERES))
                throw UserError(which + " is not a tree of triangles or spheres");
        }
        return;
    }
    if (!g.positions.data) throw UserError("the positions are null");
    if (g.kind == TL_BOXES && !g.upper.data) throw UserError("the upper corners are null");
    if (g.kind == TL_SPHERES && !g.radii.data) throw UserError("the radii are null");
    if (g.kind == TL_TRIANGLES && !g.faces && !moves && g.n_positions < 3 * g.count)
        throw UserError("triangles without faces need three positions each");
}

ShapesView shapes_in(CallArrays& arrays, const tl_geometry& g) {
    ShapesView shapes;
    shapes.count = static_cast<std::uint32_t>(g.count);
    const std::size_t n_positions = g.kind == TL_TRIANGLES ? g.n_positions
                                    : g.kind == TL_PATCHES ? PatchPoints::kCount * g.count
                                                           : g.count;
    shapes.n_positions = static_cast<std::uint32_t>(n_positions);
    shapes.positions = arrays.all_in(g.positions, n_positions, 3);
    if (g.kind == TL_TRIANGLES) {
        shapes.kind = ShapeKind::triangles;
        shapes.faces = arrays.all_in(g.faces, 3 * g.count);
    } else if (g.kind == TL_BOXES) {
        shapes.kind = ShapeKind::boxes;
        shapes.upper = arrays.all_in(g.upper, g.count, 3);
    } else if (g.kind == TL_PATCHES) {
        shapes.kind = ShapeKind::patches;
        shapes.weights = arrays.all_in(g.weights, n_positions, 1);
    } else {
        shapes.kind = ShapeKind::spheres;
        shapes.radii = arrays.all_in(g.radii, g.count, 1);
    }
    return shapes;
}

std::vector<InstanceOf> instances_in(const tl_geometry& g) {
    std::vector<InstanceOf> instances(g.count);
    for (std::size_t i = 0; i < g.count; ++i) {
        instances[i].shapes = g.trees[i]->shapes.get();
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 4; ++column)
                instances[i].object_to_world.rows[row][column] =
                    g.transforms[12 * i + static_cast<std::size_t>(4 * row + column)];
    }
    return instances;
}

/// Makes work on this tree's stream wait for the builds of the instanced trees.
void wait_for_trees(const tl_geometry& g) {
    for (std::size_t i = 0; i < g.count; ++i) g.trees[i]->streams.writer().synchronize();
}

void build(tl_tree& tree, const tl_geometry& g, void* stream) {
    tree.start(g.kind);
    if (g.kind == TL_INSTANCES) wait_for_trees(g);
    write_tree(tree, stream, [&](Scratch& scratch, CallArrays& arrays) {
        if (g.kind == TL_INSTANCES)
            tree.instances->build(scratch, instances_in(g));
        else if (g.kind == TL_POINTS)
            tree.points->build(scratch, arrays.all_in(g.positions, g.count, 3),
                               static_cast<std::uint32_t>(g.count));
        else
            tree.shapes->build(scratch, shapes_in(arrays, g), tree.check_indices);
    });
}

/// Fills what the device knows of a tree.
void describe(tl_tree& tree, Scratch& scratch, tl_tree_info& info) {
    auto& stream = scratch.stream();
    Box bounds;
    if (tree.points) {
        info.n_dropped = tree.points->count() - tree.points->read_n_valid(stream);
        info.n_nodes = tree.points->view().tree.nodes.size;
        info.bytes = tree.points->bytes();
        for (const vec3& p : tree.points->download(stream)) bounds.extend(p);
    } else if (tree.shapes || tree.instances) {
        Tree& of = tree.shapes ? tree.shapes->tree() : tree.instances->tree();
        const TreeReport report = report_tree(scratch, of);
        info.n_dropped = report.header.n_dropped;
        info.n_nodes = report.header.n_nodes;
        info.bytes = tree.shapes ? tree.shapes->bytes() : tree.instances->bytes();
        info.sah_cost = report.sah_cost;
        bounds = report.bounds;
    }
    for (int axis = 0; axis < 3; ++axis) {
        info.lower[axis] = bounds.empty() ? 0 : bounds.lo[axis];
        info.upper[axis] = bounds.empty() ? 0 : bounds.hi[axis];
    }
}

/// Leaves an empty tree after a build that failed.
void empty(tl_tree& tree) noexcept {
    try {
        tl_geometry nothing{};
        nothing.kind = tree.kind == TL_INSTANCES ? TL_TRIANGLES : tree.kind;
        tree.shapes.reset();
        tree.points.reset();
        tree.instances.reset();
        build(tree, nothing, nullptr);
    } catch (const std::exception&) {  // the device has failed: the tree has no geometry at all
        tree.shapes.reset();
        tree.points.reset();
        tree.instances.reset();
    }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_tree_create(const char* device, const tl_setting* settings, std::size_t n_settings,
                         tl_tree** tree) {
    return guarded(
        [&] {
            if (!device || !tree || (n_settings > 0 && !settings))
                return fail(TL_INVALID, "an argument is null");
            *tree = nullptr;
            TreeSettings given;
            for (std::size_t i = 0; i < n_settings; ++i) {
                if (!settings[i].name || !settings[i].value)
                    return fail(TL_INVALID, "a setting without a name or a value");
                given.emplace_back(settings[i].name, settings[i].value);
            }
            *tree = make_tree(device, given).release();
            return TL_OK;
        },
        TL_INVALID);
}

void tl_tree_destroy(tl_tree* tree) {
    delete tree;
}

tl_status tl_tree_build(tl_tree* tree, const tl_geometry* geometry, void* stream) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "an argument is null");
            std::unique_lock lock(tree->lock);
            try {
                tl_geometry own;
                if (auto status = read_struct(geometry, own)) {
                    empty(*tree);
                    return status;
                }
                check_geometry(*tree, own, false);
                build(*tree, own, stream);
            } catch (...) {
                empty(*tree);
                throw;
            }
            return TL_OK;
        },
        TL_INVALID);
}

tl_status tl_tree_refit(tl_tree* tree, const tl_geometry* geometry, void* stream) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "an argument is null");
            tl_geometry own;
            if (auto status = read_struct(geometry, own)) return status;
            std::unique_lock lock(tree->lock);
            check_geometry(*tree, own, true);
            if (own.kind != tree->kind) return fail(TL_INVALID, "the tree is of another kind");
            if (tree->kind == TL_POINTS)
                return fail(TL_INVALID, "a tree of points cannot be refitted: build it anew");
            if (tree->kind == TL_INSTANCES) wait_for_trees(own);
            write_tree(*tree, stream, [&](Scratch& scratch, CallArrays& arrays) {
                if (tree->kind == TL_INSTANCES)
                    tree->instances->refit(scratch, instances_in(own));
                else
                    tree->shapes->refit(scratch, shapes_in(arrays, own));
            });
            return TL_OK;
        },
        TL_INVALID);
}

tl_status tl_tree_set_masks(tl_tree* tree, const std::uint32_t* masks, void* stream) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "an argument is null");
            std::unique_lock lock(tree->lock);
            if (!tree->shapes) return refuse_kind("triangles, boxes, spheres or patches");
            write_tree(*tree, stream, [&](Scratch& scratch, CallArrays& arrays) {
                std::size_t n = masks ? tree->shapes->count() : 0;
                tree->shapes->set_masks(scratch.stream(), {arrays.all_in(masks, n), n});
            });
            return TL_OK;
        },
        TL_INVALID);
}

tl_status tl_tree_about(const tl_tree* tree, tl_tree_info* info) {
    return guarded([&] {
        if (!tree) return fail(TL_INVALID, "an argument is null");
        if (auto status = check_struct(info)) return status;
        auto& own = const_cast<tl_tree&>(*tree);
        std::unique_lock lock(own.lock);
        tl_tree_info about{};
        about.kind = tree->kind;
        about.device = tree->device_id.c_str();
        about.builder = tree->builder.c_str();
        about.n_primitives = tree->count();
        write_tree(own, nullptr,
                   [&](Scratch& scratch, CallArrays&) { describe(own, scratch, about); });
        write_struct(about, info);
        return TL_OK;
    });
}

tl_status tl_tree_pointers(const tl_tree* tree, tl_tree_nodes* nodes) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "an argument is null");
            if (auto status = check_struct(nodes)) return status;
            auto& own = const_cast<tl_tree&>(*tree);
            const std::shared_lock lock(own.lock);
            if (own.points || own.kind == TL_PATCHES)
                return refuse_kind("triangles, boxes, spheres or instances");
            const Tree& of = own.shapes ? own.shapes->tree() : own.instances->tree();
            static_assert(offsetof(TreeHeader, root) == 0);
            write_struct({sizeof(tl_tree_nodes), of.nodes().data(), &of.header().data->root,
                          of.order().data},
                         nodes);
            return TL_OK;
        },
        TL_INVALID);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
