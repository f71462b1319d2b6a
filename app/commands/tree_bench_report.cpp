#include "app/commands/tree_bench_report.h"

#include "accel/bvh/layouts/bvh2.h"
#include "app/jobs/output.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

double fps(double milliseconds) {
    return milliseconds > 0 ? 1000 / milliseconds : 0;
}

double megabytes(std::size_t bytes) {
    return static_cast<double>(bytes) * 1e-6;
}

double bytes_per_primitive(const TreeMeasurement& m) {
    return static_cast<double>(m.bytes) /
           static_cast<double>(std::max<std::size_t>(m.n_primitives, 1));
}

void print_name(const TreeMeasurement& m) {
    std::string layout = m.layout + (m.robust ? " robust" : "");
    print("%-14s %-12s", m.builder.c_str(), layout.c_str());
}

void print_rays(const SceneMeasurements& scene) {
    print("%-14s %-12s %27s  %29s %23s %23s\n", "", "", "Mrays/s", "", "steps a ray",
          "tests a ray");
    print("%-14s %-12s %9s %8s %8s  %9s %9s %9s %7s %7s %7s %7s %7s %7s\n", "builder", "layout",
          "primary", "shadow", "diffuse", "shadow ms", "diff. ms", "frame ms", "prim.", "shadow",
          "diff.", "prim.", "shadow", "diff.");
    for (auto& m : scene.rows) {
        print_name(m);
        print(" %9.1f %8.1f %8.1f  %9.4f %9.4f %9.4f %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f\n",
              m.primary.mrays_per_s(), m.shadow.mrays_per_s(), m.diffuse.mrays_per_s(),
              m.shadow.ms.median, m.diffuse.ms.median, m.frame_ms.median, m.primary.steps,
              m.shadow.steps, m.diffuse.steps, m.primary.tests, m.shadow.tests, m.diffuse.tests);
    }
}

/// The bits of TreeError in words; "none" without any.
std::string words_of_errors(std::uint32_t errors) {
    std::string text;
    auto say = [&](TreeError error, const char* words) {
        if (errors & error) text += (text.empty() ? "" : ", ") + std::string(words);
    };
    say(kBuildCapReached, "iteration limit");
    say(kOutOfReferences, "no room for splits");
    say(kTraversalStackFull, "ray's stack full");
    return text.empty() ? "none" : text;
}

void print_counts(const SceneMeasurements& scene) {
    print("%-14s %-12s %12s %12s %18s %12s %12s  %s\n", "builder", "layout", "primary",
          "primary hits", "sum of distances", "occluded", "diffuse hits", "errors");
    for (auto& m : scene.rows) {
        print_name(m);
        print(" %12zu %12zu %18.3f %12zu %12zu  %s\n", m.primary.n_rays, m.primary.n_hits,
              m.primary.sum_of_distances, m.shadow.n_hits, m.diffuse.n_hits,
              words_of_errors(m.stats.errors).c_str());
    }
}

void print_peers(const SceneMeasurements& scene) {
    print("%-27s %10s %8s %9s %8s %8s %12s %18s %12s %12s\n", "peer, on the CPU", "build ms",
          "Mtri/s", "primary", "shadow", "diffuse", "primary hits", "sum of distances", "occluded",
          "diffuse hits");
    for (auto& p : scene.peers)
        print("%-27s %10.3f %8.2f %9.2f %8.2f %8.2f %12zu %18.3f %12zu %12zu\n", p.name.c_str(),
              p.build_ms.median, static_cast<double>(scene.n_primitives) / p.build_ms.median / 1000,
              p.primary.mrays_per_s(), p.shadow.mrays_per_s(), p.diffuse.mrays_per_s(),
              p.primary.n_hits, p.primary.sum_of_distances, p.shadow.n_hits, p.diffuse.n_hits);
}

Json timing_json(const Timing& t) {
    return {{"median_ms", t.median}, {"p95_ms", t.p95}, {"fps", fps(t.median)}};
}

Json rays_json(const RayMeasurement& r) {
    Json json = timing_json(r.ms);
    json["rays"] = r.n_rays;
    json["mrays_per_s"] = r.mrays_per_s();
    json["steps_per_ray"] = r.steps;
    json["tests_per_ray"] = r.tests;
    json["hits"] = r.n_hits;
    json["sum_of_distances"] = r.sum_of_distances;
    return json;
}

Json row_json(const TreeMeasurement& m) {
    return {{"builder", m.builder},
            {"layout", m.layout},
            {"robust", m.robust},
            {"built_on_host", m.on_host},
            {"repeat", m.repeat},
            {"settings", m.settings},
            {"construct", timing_json(m.construct_ms)},
            {"mtri_per_s", m.mtri_per_s()},
            {"refit", timing_json(m.refit_ms)},
            {"sum_ms", m.construct_ms.median + m.primary.ms.median},
            {"primary", rays_json(m.primary)},
            {"shadow", rays_json(m.shadow)},
            {"diffuse", rays_json(m.diffuse)},
            {"frame", timing_json(m.frame_ms)},
            {"sah", m.stats.sah},
            {"epo", m.overlap.epo},
            {"epo_triangles_sampled", m.overlap.n_sampled},
            {"depth", m.stats.depth},
            {"leaves_of_size", m.stats.leaves_of_size},
            {"leaves_at_depth", m.stats.leaves_at_depth},
            {"nodes", m.stats.n_nodes},
            {"leaves", m.stats.n_leaves},
            {"primitives_in_leaves", m.stats.n_primitives},
            {"dropped", m.stats.n_dropped},
            {"errors", m.stats.errors},
            {"layout_nodes", m.n_layout_nodes},
            {"bytes", m.bytes},
            {"bytes_per_triangle", bytes_per_primitive(m)},
            {"scratch_bytes", m.scratch_bytes}};
}

}  // namespace

void print_tree_head(const SceneMeasurements& scene) {
    print("\n%s: %zu triangles, %zu primitives\n", scene.scene.c_str(), scene.n_triangles,
          scene.n_primitives);
    print("%-14s %-12s %10s %8s %8s %9s %9s %8s %9s %8s %7s %6s %9s %9s %6s %9s\n", "builder",
          "layout", "construct", "fps", "Mtri/s", "refit ms", "ray cast", "fps", "sum ms", "SAH",
          "EPO", "depth", "nodes", "MB", "B/tri", "scratchMB");
}

void print_tree_row(const TreeMeasurement& m) {
    double build = m.construct_ms.median, cast = m.primary.ms.median;
    print_name(m);
    print(" %10.4f %8.0f %8.1f %9.4f %9.4f %8.0f %9.4f %8.2f %7.3f %6d %9zu %9.2f %6.1f %9.2f\n",
          build, fps(build), m.mtri_per_s(), m.refit_ms.median, cast, fps(cast), build + cast,
          m.stats.sah, m.overlap.epo, m.stats.depth, m.n_layout_nodes, megabytes(m.bytes),
          bytes_per_primitive(m), megabytes(m.scratch_bytes));
}

void print_tree_tables(const SceneMeasurements& scene) {
    print("\n");
    print_rays(scene);
    print("\n");
    print_counts(scene);
    if (!scene.peers.empty()) {
        print("\n");
        print_peers(scene);
    }
}

Json tree_bench_json(const SceneMeasurements& scene) {
    Json rows = Json::array();
    for (auto& m : scene.rows) rows.push_back(row_json(m));
    Json peers = Json::array();
    for (auto& p : scene.peers)
        peers.push_back({{"name", p.name},
                         {"build", timing_json(p.build_ms)},
                         {"primary", rays_json(p.primary)},
                         {"shadow", rays_json(p.shadow)},
                         {"diffuse", rays_json(p.diffuse)}});
    return {{"scene", scene.scene},
            {"triangles", scene.n_triangles},
            {"primitives", scene.n_primitives},
            {"light", {scene.light.x, scene.light.y, scene.light.z}},
            {"rows", rows},
            {"peers", peers}};
}

}  // namespace tl
