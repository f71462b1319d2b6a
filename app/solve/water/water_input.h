// Input of the water commands: a start by name or a bed from a file, and settings of the solver.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "solvers/shallow_water/water_cases.h"

namespace tl {

struct WaterInput {
    std::string start = "thesis";
    int cells = 0;             ///< of a row; 0: the start's own number
    std::string bed;           ///< file of a height map that replaces the start's bed; "": none
    double cell = 1;           ///< with a bed: size of a cell, m
    double height = 10;        ///< with a bed that is a picture: height of white, m
    double level = 0;          ///< with a bed: level of the water at rest, m
    std::vector<double> drop;  ///< x, y, height and radius of a hump; or none
    std::map<std::string, std::string> settings;  ///< "water.chezy" -> "40"
};

/// Adds --case, --cells, --bed, --cell, --height, --level, --drop and a flag for each setting.
void add_water_flags(CLI::App& command, WaterInput& input);
/// Adds a flag for each setting of the solver.
void add_water_setting_flags(CLI::App& command, std::map<std::string, std::string>& settings);
/// Applies the settings that were given by flags.
void apply_water_settings(WaterConfig& config, const std::map<std::string, std::string>& given);

/// Creates the case, with the settings that were given. Throws UserError for a bed that cannot be
/// read.
[[nodiscard]] WaterCase make_water(const WaterInput& input);

/// "adi", "pcg" or "plu".
[[nodiscard]] const char* id_of(WaterMode mode);
/// Throws UsageError for another id.
[[nodiscard]] WaterMode water_mode_of(const std::string& id);
/// Numbers of `totals`, for reports.
[[nodiscard]] nlohmann::ordered_json totals_json(const WaterTotals& totals);
/// The mean and the largest magnitude of differences between two fields of one size.
[[nodiscard]] nlohmann::ordered_json differences_of(const std::vector<double>& a,
                                                    const std::vector<double>& b);
/// For each device of the shares, the percentage of the systems and the milliseconds of a step.
[[nodiscard]] nlohmann::ordered_json shares_json(const std::vector<WaterShare>& shares,
                                                 long n_steps);

}  // namespace tl
