// The subcommands of `treelight`. Each adds itself, its flags and its callback to the CLI11
// program.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "session/session_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tl {

void add_render_command(CLI::App& program);
/// `compare`, of two pictures in files.
void add_compare_command(CLI::App& program);
/// `export`, of a scene as binary glTF.
void add_export_command(CLI::App& program);
/// Returns `bench`, so that subcommands can be added to it.
CLI::App& add_bench_command(CLI::App& program);
/// Adds `bench trees` to `bench`.
void add_bench_trees_command(CLI::App& bench);
/// Adds `bench photons` to `bench`.
void add_bench_queries_command(CLI::App& bench);
void add_bench_photons_command(CLI::App& bench);
void add_bench_octree_command(CLI::App& bench);
void add_bench_fmm_command(CLI::App& bench);
void add_bench_radiosity_command(CLI::App& bench);
void add_bench_clouds_command(CLI::App& bench);
/// `tune`, of solvers on this machine.
void add_tune_command(CLI::App& program);
/// `gl_state` returns the state of OpenGL on this machine, as texts by name.
void add_info_command(CLI::App& program, nlohmann::ordered_json (*gl_state)());

/// Adds --scene, --renderer, --builder, --device, --size, --seed, --time, the camera's flags and a
/// flag for every declared setting of every renderer, builder and the film (--whitted-max-depth,
/// --film-exposure). The scene is also the command's positional argument.
void add_session_options(CLI::App& command, SessionOptions& options);

/// Adds the scene, as an argument and as --scene.
void add_scene_option(CLI::App& command, std::string& scene);
/// Names words that an option takes, for completion in shells. It may take others.
void offer_words(CLI::Option& option, const std::vector<std::string>& words);

/// Adds --device.
void add_device_option(CLI::App& command, std::string& device);
/// The same for commands that also take a list of devices; replaces the former flag, if there is
/// one. `use`: the end of the help, what such a list does.
void add_device_list_option(CLI::App& command, std::string& devices, const std::string& use);
/// --allow-outside, for commands that open a scene.
void add_outside_option(CLI::App& command, bool& allow_outside);
/// Adds --size. Its help shows the value of `size` as the default, unless that has no pixels.
CLI::Option* add_size_option(CLI::App& command, Extent& size);
void add_tree_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);
/// Adds the flag of one of view_settings() or sequence_settings(), whose variable must outlive the
/// command.
CLI::Option* add_number_flag(CLI::App& command, const Setting& setting);
/// Adds one flag for a declared setting; its text is stored in `given` once it has passed the
/// declaration's checks.
void add_setting_flag(CLI::App& command, const std::string& section,
                      const SettingDeclaration& setting, std::map<std::string, std::string>& given);
/// Sets those settings of `section` that flags of add_setting_flag() have stored in `given`. An
/// error names `owner`, whose settings they are. Throws UserError where `settings` lacks one.
void set_given(const Settings& settings, const std::string& section,
               const std::map<std::string, std::string>& given, const std::string& owner);

}  // namespace tl
