// Hot paths of the CPU, one after the other, each on little work and in one thread. Under `valgrind
// --tool=callgrind --instr-atstart=no` each leaves a profile with its name; test_instructions.py
// compares their numbers of instructions with those in counts.txt.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstdio>

#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/registry.h"
#include "renderer/probe/ray_probes.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/loaders/loader.h"
#include "session/session.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kinds.h"
#include "solvers/eigen/eigen.h"
#include "solvers/eigen/matrix_batch.h"
#include "solvers/svd/svd.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace tl {
namespace {

/// Runs the work twice: the first time allocates and reads tables, the second one is counted.
template <class Work>
void count(const std::string& name, Work&& work) {
    work();
#if defined(CALLGRIND_START_INSTRUMENTATION)
    CALLGRIND_START_INSTRUMENTATION;
    work();
    CALLGRIND_STOP_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS_AT(name.c_str());
#endif
}

std::shared_ptr<const Scene> terrain() {
    static const auto scene =
        std::make_shared<const Scene>(load_scene("generate:terrain,triangles=8000"));
    return scene;
}

/// A tree of a builder and a layout over the terrain.
struct TreeOfTerrain {
    Device& device = *devices().front();
    std::unique_ptr<Stream> stream = device.create_stream();
    StageTimer timer{*stream};
    Scratch scratch{*stream};
    LiveScene live{*stream, terrain()};

    TreeOfTerrain(const std::string& builder, const std::string& layout) {
        timer.enable(false);
        live.set_builder(make_tree_builder(builder, device));
        Settings settings = live.tree_config().settings();
        find_setting(settings, "layout", "tree").set(layout);
        live.tree_config().update = UpdatePolicy::rebuild;
        build();
    }
    void build() { live.update(scratch, timer); }
};

void count_builders() {
    for (auto& row : tree_builders()) {
        if (!row.make_cpu || row.id == "embree") continue;  // a library's
        TreeOfTerrain tree(row.id, "bvh2");
        count("build " + row.id, [&] { tree.build(); });
    }
    for (auto* layout : {"skip", "bvh4", "simd8"}) {
        TreeOfTerrain tree("lbvh", layout);
        count(std::string("build lbvh as ") + layout, [&] { tree.build(); });
    }
}

void count_rays() {
    for (auto& layout : TreeConfig::declared_settings().find("layout")->choices) {
        if (layout == "auto") continue;
        TreeOfTerrain t("hploc", layout);
        PrimaryProbe primary{terrain()->camera, {96, 64}};
        DeviceArray<Ray> shadow(*t.stream, primary.n_items()),
            diffuse(*t.stream, primary.n_items());
        DeviceArray<std::uint32_t> n_made(*t.stream, 1);
        cpu::make_secondary_rays(t.scratch, t.live.view(), primary, vec3(0, 50, 0), 0,
                                 shadow.view(), diffuse.view(), n_made.view());
        std::size_t n = n_made.download(*t.stream)[0];
        shadow.resize_discard(*t.stream, n);
        diffuse.resize_discard(*t.stream, n);
        DeviceArray<ProbeHit> hits(*t.stream, n);
        DeviceArray<std::uint8_t> occluded(*t.stream, n);
        TreeView tree = t.live.view().tree;
        count("closest hits, " + layout, [&] {
            cpu::trace_closest(t.scratch, "closest hits", tree, diffuse.view(),
                               {{}, hits.view(), {}});
        });
        count("any hits, " + layout, [&] {
            cpu::trace_any(t.scratch, "any hits", tree, shadow.view(), {{}, {}, occluded.view()});
        });
    }
}

/// Counts a frame.
void count_renderer(const std::string& name, const std::string& renderer, const std::string& scene,
                    const std::vector<std::pair<std::string, std::string>>& settings = {},
                    const char* layout = "auto") {
    Session session(*devices().front());
    session.set_scene(std::make_shared<Scene>(load_scene(scene)));
    session.set_renderer(renderer);
    for (auto& [id, value] : settings) session.settings().set(renderer, id, value);
    session.settings().set("tree", "layout", layout);
    session.resize({64, 48});
    count(name, [&] {
        session.restart();  // else there is nothing to do for stored photons
        do {
            session.begin_frame();
            session.render_frame();
            session.end_frame();
        } while (session.samples() == 0);
    });
}

void count_renderers() {
    const std::string room = "generate:cornell-box";
    count_renderer("whitted, packets", "whitted", room);
    count_renderer("whitted, single rays", "whitted", room, {}, "bvh2");
    count_renderer("path, one sample", "path", room);
    count_renderer("photon, one pass", "photon", room, {{"photons", "4000"}});
}

/// Own modes of a table of solvers on the CPU.
template <class Rows, class Count>
void for_own_modes(const Rows& rows, Count&& count_mode) {
    for (auto& row : rows)
        if (row.make_cpu && !row.peer && row.id != "auto") count_mode(row.id);
}

void count_solvers() {
    Device& device = *devices().front();
    auto stream = device.create_stream();
    auto blas = make_blas(*stream);
    SolverRun run;
    auto a = make_matrix<double>(*blas, {"uniform", 96, 96, 1, 1});
    MatrixView<const double> view = a.view();
    for_own_modes(svd_solvers(), [&](const std::string& mode) {
        SvdRequest request;
        if (mode == "randomised") request.rank = 8;
        count("svd " + mode,
              [&] { (void)make_svd_solver(mode, device)->solve(*stream, view, request, run); });
    });
    for_own_modes(lu_solvers(), [&](const std::string& mode) {
        count("lu " + mode,
              [&] { (void)make_lu_solver(mode, device)->factorise(*stream, view, run); });
    });
    auto host = make_batch({"random", 10, 64, 0}, 0, 64);
    DeviceArray<double> batch(*stream, std::span<const double>(host));
    for_own_modes(eigen_solvers(), [&](const std::string& mode) {
        count("eig " + mode, [&] {
            (void)make_eigen_solver(mode, device)
                ->solve(*stream, {batch.view(), 10, 64}, {EigenPairs::all}, run);
        });
    });
}

}  // namespace
}  // namespace tl

int main() {
#if !defined(CALLGRIND_START_INSTRUMENTATION)
    std::fprintf(stderr, "built without the header of callgrind\n");
    return 77;
#endif
    // Work is divided as on a machine with one processor.
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    tbb::task_arena arena(1);
    arena.execute([] {
        tl::count_builders();
        tl::count_rays();
        tl::count_renderers();
        tl::count_solvers();
    });
}
