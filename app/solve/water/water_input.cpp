#include "app/solve/water/water_input.h"

#include <array>
#include <cmath>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/paths.h"
#include "core/device/registry.h"
#include "renderer/images/image_io.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

/// A bed of which the rows of a .npy file are the rows of cells, or that a picture shows from its
/// lower edge up.
Basin read_water_bed(const WaterInput& input) {
    Basin basin;
    auto path = with_home(input.bed);
    if (is_png(path)) {
        auto image = read_image16(path);
        basin.resize(image.extent.width, image.extent.height, input.cell);
        for (std::size_t i = 0; i < basin.size(); ++i) {
            std::size_t row = i / static_cast<std::size_t>(basin.nx);
            std::size_t from = (static_cast<std::size_t>(basin.ny) - 1 - row) *
                                   static_cast<std::size_t>(basin.nx) +
                               i % static_cast<std::size_t>(basin.nx);
            basin.bed[i] = input.height * image.value(4 * from);
        }
    } else {
        auto matrix = read_matrix(path);
        basin.resize(matrix.cols, matrix.rows, input.cell);
        for (int j = 0; j < matrix.rows; ++j)
            for (int i = 0; i < matrix.cols; ++i)
                basin.bed[static_cast<std::size_t>(j) * static_cast<std::size_t>(basin.nx) +
                          static_cast<std::size_t>(i)] = matrix(j, i);
    }
    for (std::size_t i = 0; i < basin.size(); ++i)
        basin.level[i] = std::max(basin.bed[i], input.level);
    return basin;
}

/// Half the time that a wave takes across a cell where the water is deepest.
float suitable_water_step(const Basin& basin) {
    double deepest = 0;
    for (std::size_t i = 0; i < basin.size(); ++i)
        deepest = std::max(deepest, basin.level[i] - basin.bed[i]);
    return static_cast<float>(0.5 * basin.dx / std::sqrt(9.81 * std::max(deepest, 0.01)));
}

}  // namespace

void add_water_flags(CLI::App& command, WaterInput& input) {
    std::string cases;
    for (auto& row : water_cases()) cases += "\n" + row.id + ": " + row.help;
    auto* start =
        add_value(command, "--case", input.start, "ID", "what the water is like:" + cases);
    auto* cells = name_number(add_value(command, "--cells", input.cells, "N",
                                        "cells of a row of the case; auto: as many as suit it")
                                  ->check(between(0, 65536)),
                              "auto");
    auto* bed = command
                    .add_option("--bed", input.bed,
                                "height map instead of a case: .npy in metres, a row of "
                                "the array for each row of cells, or .png of 8 or 16 bits")
                    ->type_name("FILE")
                    ->excludes(start)
                    ->excludes(cells);
    add_value(command, "--cell", input.cell, "M", "with --bed: size of a cell")
        ->check(between(1e-3, 1e6))
        ->needs(bed);
    add_value(command, "--height", input.height, "M", "with a .png as --bed: height of white")
        ->check(between(0.0, 1e5))
        ->needs(bed);
    add_value(command, "--level", input.level, "M", "with --bed: level of the water at rest")
        ->check(between(-1e5, 1e5))
        ->needs(bed);
    command
        .add_option("--drop", input.drop,
                    "add a hump of water about a point at the start: x, y, height and radius, m")
        ->type_name("X,Y,H,R")
        ->delimiter(',')
        ->expected(4);
    add_water_setting_flags(command, input.settings);
}

void add_water_setting_flags(CLI::App& command, std::map<std::string, std::string>& settings) {
    for (auto& setting : WaterConfig::declared_settings().all())
        add_setting_flag(command, "water", setting, settings);
}

void apply_water_settings(WaterConfig& config, const std::map<std::string, std::string>& given) {
    set_given(config.settings(), "water", given, "water");
}

WaterCase make_water(const WaterInput& input) {
    WaterCase made;
    if (input.bed.empty()) {
        made = make_water_case(input.start, input.cells);
    } else {
        made.basin = read_water_bed(input);
        made.config.time_step = suitable_water_step(made.basin);
        made.config.rest_level = static_cast<float>(input.level);
        made.duration = 100 * double(made.config.time_step);
    }
    apply_water_settings(made.config, input.settings);
    return made;
}

const char* id_of(WaterMode mode) {
    return name_of(mode);
}

WaterMode water_mode_of(const std::string& id) {
    std::vector<std::string> known;
    for (auto& [mode, name] : names_of(WaterMode{})) {
        if (id == name) return mode;
        known.emplace_back(name);
    }
    throw UsageError("unknown mode of water '" + id + "'" + known_names(id, known));
}

nlohmann::ordered_json differences_of(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double difference = std::abs(a[i] - b[i]);
        sum += difference;
        if (!(difference <= most)) most = difference;
    }
    return {{"mean", a.empty() ? 0.0 : sum / static_cast<double>(a.size())}, {"largest", most}};
}

nlohmann::ordered_json shares_json(const std::vector<WaterShare>& shares, long n_steps) {
    double all = 0;
    for (auto& share : shares) all += static_cast<double>(share.systems);
    nlohmann::ordered_json rows = nlohmann::ordered_json::object();
    for (auto& share : shares)
        rows[device_id(share.device)] = {
            {"percent", 100 * static_cast<double>(share.systems) / all},
            {"ms", 1e3 * share.seconds / static_cast<double>(n_steps)}};
    return rows;
}

nlohmann::ordered_json totals_json(const WaterTotals& totals) {
    return {{"volume", totals.volume},
            {"energy", totals.energy},
            {"highest_level", totals.highest_level},
            {"highest_speed", totals.highest_speed},
            {"lowest_depth", totals.lowest_depth},
            {"wet_cells", totals.n_wet}};
}

}  // namespace tl
