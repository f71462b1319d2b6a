// `treelight info`: capabilities of this machine and this build.
#include <CLI/CLI.hpp>

#include "app/commands/commands.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "core/base/setting_words.h"
#include "core/base/text.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/data_files.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "solvers/solver.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const SettingTable& settings) {
    Json list = Json::array();
    for (auto& s : settings.all())
        list.push_back({{"id", s.id},
                        {"default", default_in_words(s)},
                        {"accepts", s.accepts()},
                        {"help", s.help}});
    return list;
}

Json table_json(const auto& table) {
    Json list = Json::array();
    for (auto& row : table)
        list.push_back({{"id", row.id},
                        {"title", row.title},
                        {"help", row.help},
                        {"devices", row.make_cuda ? Json{"cpu", "cuda"} : Json{"cpu"}},
                        {"settings", settings_json(*row.settings)}});
    return list;
}

void print_table(const char* title, const Json& table) {
    print("%s\n", title);
    for (auto& row : table) {
        print("  %-12s %s\n", text_of(row, "id"), text_of(row, "help"));
        for (auto& s : row.value("settings", Json::array()))
            print("    %-18s %s (%s; default %s)\n", text_of(s, "id"), text_of(s, "help"),
                  text_of(s, "accepts"), text_of(s, "default"));
    }
}

/// Folders of the files that scenes share; "" for one that is not there.
Json folders_json() {
    return {{"scenes", find_data_file("scenes")},
            {"assets", find_data_file("assets")},
            {"models", model_folder().string()}};
}

void print_texts(const char* title, const Json& texts) {
    print("%s\n", title);
    for (auto& [name, text] : texts.items()) {
        auto shown = text.get<std::string>();
        print("  %-12s %s\n", name.c_str(), shown.empty() ? "not found" : shown.c_str());
    }
}

void info(bool as_json, const Json& gl) {
    Json generator_list = Json::array();
    for (auto& g : generators()) generator_list.push_back({{"id", g.id}, {"help", g.help}});
    Json solver_list = Json::array();
    for (auto& s : solver_families())
        solver_list.push_back({{"id", s.id}, {"title", s.title}, {"help", s.help}});
    Json report{{"schema", 1},
                {"machine", machine_report()},
                {"cuda_absence", cuda_absence()},
                {"folders", folders_json()},
                {"gl", gl},
                {"renderers", table_json(renderers())},
                {"builders", table_json(tree_builders())},
                {"generators", generator_list},
                {"solvers", solver_list},
                {"scene_files", scene_extensions()}};
    if (as_json) return write_json("-", report);

    print("%s\ndevices\n", text_of(report["machine"], "version"));
    for (auto& d : report["machine"]["devices"])
        print("  %-12s %s, %llu MB\n", text_of(d, "id"), text_of(d, "name"),
              d["memory_mb"].get<unsigned long long>());
    for (auto& d : report["machine"]["devices"])
        for (auto& link : d["links"])
            print("  %-12s to %s: %s\n", text_of(d, "id"), text_of(link, "to"),
                  text_of(link, "text"));
    if (!cuda_absence().empty()) print("  %-12s absent: %s\n", "cuda", cuda_absence().c_str());
    print_texts("folders (scene:NAME, asset:NAME, model:NAME)", report["folders"]);
    print_texts("gl (offscreen)", gl);
    print_table("renderers", report["renderers"]);
    print_table("tree builders", report["builders"]);
    print_table("generators (generate:NAME[,key=value...])", report["generators"]);
    print("scene files\n  %s\n", joined(scene_extensions()).c_str());
    print_table("families of solvers (treelight solve ID)", report["solvers"]);
}

}  // namespace

void add_info_command(CLI::App& program, Json (*gl_state)()) {
    auto as_json = std::make_shared<bool>(false);
    auto* command = program.add_subcommand(
        "info",
        "List devices, renderers, tree builders, generators, solvers, GL and interop state");
    command->add_flag("--json", *as_json, "as JSON");
    command->callback([as_json, gl_state] { info(*as_json, gl_state()); });
}

}  // namespace tl
