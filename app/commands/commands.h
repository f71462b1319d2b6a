// The subcommands of `treelight`. Each adds itself, its flags and its callback to the CLI11
// program.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/session.h"
#include "renderer/scene/scene_document.h"

namespace CLI {
class App;
}

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
void add_bench_photons_command(CLI::App& bench);
void add_bench_octree_command(CLI::App& bench);
void add_bench_fmm_command(CLI::App& bench);
void add_bench_radiosity_command(CLI::App& bench);
void add_bench_clouds_command(CLI::App& bench);
/// `gl_state` returns the state of OpenGL on this machine, as texts by name.
void add_info_command(CLI::App& program, nlohmann::ordered_json (*gl_state)());

/// Options of every command that renders images. An empty string selects the value of the scene
/// file, else the default.
struct SessionOptions {
    std::string scene;
    std::string renderer, builder;
    std::string device = "auto";
    Extent size{1280, 720};
    std::uint64_t seed = 0;
    std::vector<float> eye, target, up;  ///< three numbers, or none for the scene's own camera
    float fov = 0;                       ///< degrees; 0 for the scene's own
    float lens_radius = -1, focus_distance = -1;  ///< negative for the scene's own
    std::string environment;     ///< file of a map instead of the scene's own, or ""
    bool allow_outside = false;  ///< let the scene name files outside of its folder
    float time = 0;              ///< of the scene's motion, seconds
    /// "whitted.max-depth" -> "5": one flag per declared setting, only those that were given.
    std::map<std::string, std::string> settings;
};

/// Adds --scene, --renderer, --builder, --device, --size, --seed, --time, the camera's flags and a
/// flag for every declared setting of every renderer, builder and the film (--whitted-max-depth,
/// --film-exposure). The scene is also the command's positional argument.
void add_session_options(CLI::App& command, SessionOptions& options);

/// --device, --allow-outside, --size, and a flag for every declared setting of every builder and of
/// trees
/// (--lbvh-code-bits, --tree-robust), for commands that make no picture.
void add_device_option(CLI::App& command, std::string& device);
/// --allow-outside, for commands that open a scene.
void add_outside_option(CLI::App& command, bool& allow_outside);
void add_size_option(CLI::App& command, Extent& size);
void add_tree_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);
/// Adds one flag for a declared setting; its text is stored in `given` once it has passed the
/// declaration's checks. `owner` keeps alive the Config that the setting points into.
void add_setting_flag(CLI::App& command, const std::string& section, const Setting& setting,
                      std::shared_ptr<void> owner, std::map<std::string, std::string>& given);

/// Creates a session with the options' device, renderer, builder, seed and size, without a scene.
[[nodiscard]] std::unique_ptr<Session> make_empty_session(const SessionOptions& options);
/// Opens the scene that the options name, in a session that was made for them.
SceneDocument open_document(Session& session, const SessionOptions& options);
/// Opens the scene and creates the session that the options describe.
[[nodiscard]] std::unique_ptr<Session> make_session(const SessionOptions& options);

/// Applies renderer, builder, settings, camera and time to the session's scene: choices on the
/// command line take precedence over those of the scene file. Throws UserError.
void apply_options(Session& session, const SessionOptions& options);

}  // namespace tl
