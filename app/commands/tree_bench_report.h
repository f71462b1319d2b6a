// Tables and JSON of `treelight bench trees`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/embree_peer.h"
#include "app/commands/tree_bench.h"
#include "app/jobs/text_table.h"

namespace tl {

/// All rows of one scene.
struct SceneMeasurements {
    std::string scene;
    std::size_t n_triangles = 0, n_primitives = 0;
    vec3 light{0};
    std::vector<TreeMeasurement> rows;
    std::vector<PeerMeasurement> peers;
};

/// Four tables: construction and memory, of which each row is printed once it is measured; then
/// times of rays, their steps and tests, and values for verification by others.
[[nodiscard]] TextTable begin_tree_table(const SceneMeasurements& scene);
void print_tree_row(TextTable& table, const TreeMeasurement& row);
void print_tree_tables(const SceneMeasurements& scene);

[[nodiscard]] nlohmann::ordered_json tree_bench_json(const SceneMeasurements& scene);

}  // namespace tl
