#include "library/api/scene_settings.h"

#include <algorithm>

#include "accel/parallel/registry.h"
#include "accel/parallel/text.h"

namespace tl {
namespace {

[[noreturn]] void refuse(const tl_setting& setting, const std::string& wanted) {
    throw UserError("setting " + std::string(setting.name) + " does not accept '" + setting.value +
                    "': it wants " + wanted);
}

/// "0,1,-2.5"
std::vector<float> vector_in(const tl_setting& setting) {
    std::vector<float> numbers;
    std::string_view left = setting.value;
    for (bool more = true; more;) {
        auto comma = left.find(',');
        more = comma != std::string_view::npos;
        auto number = number_in<float>(left.substr(0, comma));
        if (!number) break;
        numbers.push_back(*number);
        if (more) left.remove_prefix(comma + 1);
    }
    if (numbers.size() != 3 || !number_in<float>(left)) refuse(setting, "three numbers, X,Y,Z");
    return numbers;
}

std::uint64_t seed_in(const tl_setting& setting) {
    auto seed = number_in<std::uint64_t>(setting.value);
    if (!seed) refuse(setting, "a whole number from 0");
    return *seed;
}

/// Settings by the name that their flags have: "whitted-max-depth". Throws UsageError.
void set_declared(PictureOptions& o, AllSettings& all, const tl_setting& given) {
    for (auto& section : all.sections())
        for (auto& setting : section.settings)
            if (given.name == section.id + "-" + setting.id) {
                setting.set(given.value);
                o.settings[section.id + "." + setting.id] = given.value;
                return;
            }
    throw UsageError("unknown setting '" + std::string(given.name) +
                     "'; known are the flags of `treelight render --help` about the picture");
}

}  // namespace

PictureOptions picture_options(std::span<const tl_setting> settings) {
    PictureOptions o;
    AllSettings all;
    auto numbers = view_settings(o);
    numbers.push_back({"spp", o.spp, 1, kMostSamples, "", "samples a pixel"});
    for (auto& given : settings) {
        std::string name = given.name;
        auto number = std::ranges::find(numbers, name, &Setting::id);
        if (number != numbers.end())
            number->set(given.value);
        else if (name == "renderer")
            o.renderer = find_row(renderers(), given.value, "renderer").id;
        else if (name == "builder")
            o.builder = find_row(tree_builders(), given.value, "builder").id;
        else if (name == "device")
            (void)find_device(o.device = given.value);
        else if (name == "seed")
            o.seed = seed_in(given);
        else if (name == "eye" || name == "target" || name == "up")
            (name == "eye" ? o.eye : name == "up" ? o.up : o.target) = vector_in(given);
        else
            set_declared(o, all, given);
    }
    return o;
}

SessionOptions opening_options(std::span<const tl_setting> settings) {
    SessionOptions o;
    Settings flags{{"allow-outside", o.allow_outside, "let the scene read files outside"}};
    for (auto& given : settings) {
        std::string name = given.name;
        if (name == "environment")
            o.environment = given.value;
        else if (name == "allow-outside")
            flags[0].set(given.value);
        else
            throw UsageError("unknown setting '" + name +
                             "' of opening; known: environment, allow-outside");
    }
    return o;
}

Session::Choices PictureOptions::choices(Session::Choices base) const {
    if (!renderer.empty()) base.renderer = renderer;
    if (!builder.empty()) base.builder = builder;
    for (auto& [key, value] : settings) {
        auto dot = key.find('.');
        base.settings[key.substr(0, dot)][key.substr(dot + 1)] = value;
    }
    return base;
}

}  // namespace tl
