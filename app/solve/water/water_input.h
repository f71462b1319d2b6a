// The water that a command moves: a start by name or a bed from a file, and the settings of the
// computation.
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
    int cells = 0;             ///< of a row; 0: as many as the start has of itself
    std::string bed;           ///< file of a height map in place of the start's; "": none
    double cell = 1;           ///< with a bed: size of a cell, m
    double height = 10;        ///< with a bed that is a picture: height of white, m
    double level = 0;          ///< with a bed: level of the water at rest, m
    std::vector<double> drop;  ///< x, y, height and radius of a hump; or none
    std::map<std::string, std::string> settings;  ///< "water.chezy" -> "40"
};

/// Adds --case, --cells, --bed, --cell, --height, --level, --drop and a flag for each setting.
void add_water_flags(CLI::App& command, WaterInput& input);
/// A flag for each setting of the computation.
void add_water_setting_flags(CLI::App& command, std::map<std::string, std::string>& settings);
/// Sets what was given by flags.
void apply_water_settings(WaterConfig& config, const std::map<std::string, std::string>& given);

/// The case, with the settings that were given. Throws UserError for a bed that cannot be read.
[[nodiscard]] WaterCase make_water(const WaterInput& input);

/// "adi", "pcg" or "plu".
[[nodiscard]] const char* id_of(WaterMode mode);
/// Throws UsageError for another id.
[[nodiscard]] WaterMode water_mode_of(const std::string& id);
/// The numbers of `totals`, for reports.
[[nodiscard]] nlohmann::ordered_json totals_json(const WaterTotals& totals);

}  // namespace tl
