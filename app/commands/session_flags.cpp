#include <cctype>

#include "app/commands/commands.h"
#include "app/commands/flag_groups.h"
#include "app/commands/value_option.h"
#include "core/base/error.h"
#include "core/base/setting_words.h"
#include "core/base/text.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/scene_paths.h"

namespace tl {
namespace {

/// Parses "1280x720"; width and height are 1 to kLargestExtent.
std::string parse_size(const std::string& text, Extent& size) {
    int width = 0, height = 0, used = 0;
    if (std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &used) != 2 ||
        used != static_cast<int>(text.size()) || width < 1 || height < 1 ||
        width > kLargestExtent || height > kLargestExtent)
        return "'" + text + "' is not a size: WIDTHxHEIGHT, each from 1 to " +
               std::to_string(kLargestExtent);
    size = {width, height};
    return "";
}

/// Accepts what the setting does.
CLI::Validator check_of(const SettingDeclaration& setting) {
    return {[&setting](std::string& text) -> std::string {
                try {
                    (void)setting.canonical(text);
                    return "";
                } catch (const UserError& error) {
                    return error.what();
                }
            },
            ""};
}

std::vector<std::string> device_words() {
    std::vector<std::string> words{"auto"};
    for (auto* device : devices()) words.push_back(device->id());
    return words;
}

/// The ids of a table's rows.
std::vector<std::string> ids_in(const auto& table) {
    std::vector<std::string> words;
    for (auto& row : table) words.push_back(row.id);
    return words;
}

/// Adds the flags of the sections for which `wanted` is true.
void add_section_flags(CLI::App& command, std::map<std::string, std::string>& given,
                       bool (*wanted)(SectionKind)) {
    for_each_declared([&](const DeclaredSection& section, const SettingDeclaration& setting) {
        if (wanted(section.kind)) add_setting_flag(command, section.id, setting, given);
    });
    // Flags of former settings are accepted, but not listed.
    for (auto& section : declared_sections())
        for (auto& id : section.settings->retired())
            if (wanted(section.kind))
                command
                    .add_option_function<std::string>("--" + section.id + "-" + id,
                                                      [of = section.id, id](const std::string&) {
                                                          (void)ignores_retired(of, id);
                                                      })
                    ->group("");
}

}  // namespace

void offer_words(CLI::Option& option, const std::vector<std::string>& words) {
    std::string list;
    for (auto& word : words) list.append(list.empty() ? "{" : ",").append(word);
    auto accept = [](const std::string&) -> std::string { return ""; };
    option.check(CLI::Validator(accept, list + "}"));
}

CLI::Option* add_number_flag(CLI::App& command, const Setting& setting) {
    std::string type = setting->unit;
    for (char& letter : type) letter = static_cast<char>(std::toupper(letter));
    return command
        .add_option_function<std::string>(
            "--" + setting->id, [setting](const std::string& text) { setting.set(text); },
            setting->help)
        ->check(check_of(setting.declaration())
                    .description(CLI::Range(setting->minimum, setting->maximum).get_description()))
        ->type_name(type);
}

void add_setting_flag(CLI::App& command, const std::string& section,
                      const SettingDeclaration& setting,
                      std::map<std::string, std::string>& given) {
    std::string key = section + "." + setting.id;
    std::string help = setting.help + " (" + setting.accepts() + ")";
    auto* option = command
                       .add_option_function<std::string>(
                           "--" + section + "-" + setting.id,
                           [&given, key](const std::string& text) { given[key] = text; }, help)
                       ->check(check_of(setting))
                       ->default_str(default_in_words(setting))
                       ->type_name("")
                       ->group(kSettingsOf + section);
    if (auto word = word_of_zero(setting); !word.empty()) offer_words(*option, {std::string(word)});
    if (setting.type == SettingType::flag) offer_words(*option, {"true", "false"});
    if (setting.type == SettingType::choice) offer_words(*option, setting.choices);
}

void set_given(const Settings& settings, const std::string& section,
               const std::map<std::string, std::string>& given, const std::string& owner) {
    const std::string prefix = section + ".";
    for (auto& [key, text] : given)
        if (key.starts_with(prefix))
            find_setting(settings, key.substr(prefix.size()), owner).set(text);
}

void add_tree_setting_flags(CLI::App& command, std::map<std::string, std::string>& given) {
    add_section_flags(command, given, [](SectionKind kind) {
        return kind == SectionKind::builder || kind == SectionKind::tree;
    });
}

CLI::Option* add_size_option(CLI::App& command, Extent& size) {
    auto* option = command.add_option_function<std::string>(
        "--size",
        [&size](const std::string& text) {
            if (auto error = parse_size(text, size); !error.empty())
                throw CLI::ValidationError("--size", error);
        },
        "picture size, pixels");
    if (size.pixels() > 0)
        option->default_str(std::to_string(size.width) + "x" + std::to_string(size.height));
    return option->type_name("WxH");
}

void add_device_option(CLI::App& command, std::string& device) {
    auto* option =
        add_value(command, "--device", device, "ID",
                  "auto (CUDA where there is one), cpu, cuda, or cuda:1 for the second GPU");
    offer_words(*option, device_words());
}

void add_device_list_option(CLI::App& command, std::string& devices, const std::string& use) {
    if (auto* single = command.get_option_no_throw("--device")) command.remove_option(single);
    auto* option =
        add_value(command, "--device", devices, "ID,...",
                  "auto (CUDA if there is one), cpu, cuda or cuda:1; a list or cuda:all " + use);
    offer_words(*option, device_words());
}

void add_outside_option(CLI::App& command, bool& allow_outside) {
    command
        .add_flag("--allow-outside", allow_outside,
                  "let the scene read files outside of its folder; for scenes that you trust")
        ->group(kMoreFlags);
}

void add_scene_option(CLI::App& command, std::string& scene) {
    auto* option =
        command
            .add_option("scene,--scene", scene,
                        "scene file (`treelight info` lists the kinds), scene:NAME, model:NAME or "
                        "generate:NAME[,key=value...]")
            ->type_name("SCENE");
    auto words = scene_names();
    for (auto& generator : generators()) words.push_back("generate:" + generator.id);
    offer_words(*option, words);
}

void add_session_options(CLI::App& command, SessionOptions& o) {
    add_scene_option(command, o.scene);
    add_outside_option(command, o.allow_outside);
    auto* renderer =
        command
            .add_option("--renderer", o.renderer,
                        "one of " + ids_of(renderers()) + "; default: the scene's, else whitted")
            ->type_name("ID");
    offer_words(*renderer, ids_in(renderers()));
    auto* builder = command
                        .add_option("--builder", o.builder,
                                    "tree builder, one of " + ids_of(tree_builders()) +
                                        "; default: the scene's, else hploc")
                        ->type_name("ID");
    offer_words(*builder, ids_in(tree_builders()));
    add_device_list_option(command, o.device, "shares each picture among several GPUs");
    add_size_option(command, o.size);
    add_value(command, "--seed", o.seed, "K",
              "seed of the random numbers: same seed, same picture");
    auto add_vector = [&](const char* flag, std::vector<float>& v, const char* help) {
        command.add_option(flag, v, help)
            ->expected(3)
            ->delimiter(',')
            ->type_name("X,Y,Z")
            ->group(kCameraFlags);
    };
    add_vector("--eye", o.eye, "camera position; default: the scene's");
    add_vector("--target", o.target, "point that the camera looks at; default: the scene's");
    add_vector("--up", o.up, "camera's up direction; default: the scene's");
    for (auto& setting : view_settings(o))
        add_number_flag(command, setting)
            ->group(setting->id == "time"  ? kFlags
                    : setting->id == "fov" ? kCameraFlags
                                           : kMoreFlags);
    command
        .add_option("--environment", o.environment,
                    "map of the light from all around, .hdr or .exr; default: the scene's")
        ->type_name("FILE")
        ->group(kMoreFlags);
    add_section_flags(command, o.settings, [](SectionKind) { return true; });
}

}  // namespace tl
