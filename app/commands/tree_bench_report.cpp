#include "app/commands/tree_bench_report.h"

#include "accel/bvh/layouts/bvh2.h"
#include "app/jobs/format.h"
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

/// Begins a row: builder and layout.
TextTable& begin_row(TextTable& table, const TreeMeasurement& m) {
    constexpr int kWidth = 12;
    return table.row(m.builder).cell("layout", m.layout + (m.robust ? " robust" : ""), kWidth);
}

TextTable table_of_builders() {
    constexpr int kNameWidth = 13;
    return TextTable("builder", kNameWidth);
}

void print_rays(const SceneMeasurements& scene) {
    auto table = table_of_builders();
    for (auto& m : scene.rows)
        begin_row(table, m)
            .number("primary Mrays/s", m.primary.mrays_per_s())
            .number("shadow Mrays/s", m.shadow.mrays_per_s())
            .number("diffuse Mrays/s", m.diffuse.mrays_per_s())
            .number("shadow ms", m.shadow.ms.median)
            .number("diffuse ms", m.diffuse.ms.median)
            .number("frame ms", m.frame_ms.median)
            .print();
}

void print_work_of_rays(const SceneMeasurements& scene) {
    auto table = table_of_builders();
    for (auto& m : scene.rows) {
        begin_row(table, m);
        const std::pair<const char*, const RayMeasurement*> kinds[] = {
            {"primary", &m.primary}, {"shadow", &m.shadow}, {"diffuse", &m.diffuse}};
        for (auto& [name, rays] : kinds) table.number(name + std::string(" steps"), rays->steps);
        for (auto& [name, rays] : kinds) table.number(name + std::string(" tests"), rays->tests);
        table.print();
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

/// Adds what other programs can be compared by, exactly.
void add_counts(TextTable& table, const RayMeasurement& primary, const RayMeasurement& shadow,
                const RayMeasurement& diffuse) {
    table.cell("primary hits", std::to_string(primary.n_hits))
        .cell("sum of distances", formatted("%.3f", primary.sum_of_distances))
        .cell("occluded", std::to_string(shadow.n_hits))
        .cell("diffuse hits", std::to_string(diffuse.n_hits));
}

void print_counts(const SceneMeasurements& scene) {
    auto table = table_of_builders();
    for (auto& m : scene.rows) {
        begin_row(table, m).cell("primary", std::to_string(m.primary.n_rays));
        add_counts(table, m.primary, m.shadow, m.diffuse);
        table.note("errors", words_of_errors(m.stats.errors)).print();
    }
}

void print_peers(const SceneMeasurements& scene) {
    constexpr int kNameWidth = 27;
    TextTable table("peer, on the CPU", kNameWidth);
    for (auto& p : scene.peers) {
        table.row(p.name)
            .number("build ms", p.build_ms.median)
            .number("Mtri/s", static_cast<double>(scene.n_primitives) / p.build_ms.median / 1000)
            .number("primary Mrays/s", p.primary.mrays_per_s())
            .number("shadow Mrays/s", p.shadow.mrays_per_s())
            .number("diffuse Mrays/s", p.diffuse.mrays_per_s());
        add_counts(table, p.primary, p.shadow, p.diffuse);
        table.print();
    }
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

TextTable begin_tree_table(const SceneMeasurements& scene) {
    print("\n%s: %zu triangles, %zu primitives\n", scene.scene.c_str(), scene.n_triangles,
          scene.n_primitives);
    return table_of_builders();
}

void print_tree_row(TextTable& table, const TreeMeasurement& m) {
    double build = m.construct_ms.median, cast = m.primary.ms.median;
    begin_row(table, m)
        .number("construct ms", build)
        .number("builds/s", fps(build))
        .number("Mtri/s", m.mtri_per_s())
        .number("refit ms", m.refit_ms.median)
        .number("ray cast ms", cast)
        .number("casts/s", fps(cast))
        .number("sum ms", build + cast)
        .number("SAH", m.stats.sah)
        .number("EPO", m.overlap.epo)
        .cell("depth", std::to_string(m.stats.depth))
        .cell("nodes", std::to_string(m.n_layout_nodes))
        .number("MB", megabytes(m.bytes))
        .number("B/tri", bytes_per_primitive(m))
        .number("scratch MB", megabytes(m.scratch_bytes))
        .print();
}

void print_tree_tables(const SceneMeasurements& scene) {
    print("\n");
    print_rays(scene);
    print("\n");
    print_work_of_rays(scene);
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
