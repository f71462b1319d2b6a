// `treelight bench radiosity`: light transport between points of a scene by every mode of the
// renderer `radiosity`, stage by stage, with octrees of several builders, heights and sizes of
// leaves. Reports the links of each, level by level, and the error of the sums against those over
// all pairs. For a scene in motion, reports the cost of links that are updated
// from frame to frame.
#include <algorithm>

#include "app/commands/bench_options.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/work_timer.h"
#include "renderer/radiosity/radiosity_config.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

/// A setting of the renderer, whose name, values and default the command takes over.
const SettingDeclaration& declared(const char* id) {
    return find_declaration(RadiosityConfig::declared_settings(), id, "radiosity");
}

struct RadiosityBenchOptions {
    std::string scene = "generate:cornell-box,blocks=true";
    std::string device = "auto", json;
    std::string visibility = declared("visibility").default_text;
    std::string threads = declared("link-threads").default_text;
    std::string search = declared("link-search").default_text;
    std::string expansions = declared("expansions").default_text;
    std::vector<std::string> modes = declared("mode").choices;
    std::vector<std::string> octrees{declared("octree").default_text};
    std::vector<int> levels{OctreeHeader::kLevels}, leaf_sizes{PointOctreeConfig{}.leaf_size};
    int points = 10'000, bounces = 4, check = 256, frames = 0;
    BenchRepeats repeats{5};
    float error = 0.01f;
    bool allow_outside = false;
};

/// A mode with an octree; the mode `direct` has no other one than the first.
struct BenchCase {
    std::string mode, octree;
    int levels, leaf_size;

    [[nodiscard]] std::string words(const RadiosityBenchOptions& o) const {
        std::string text = mode;
        if (mode == "direct") return text;  // its light uses no octree
        if (o.octrees.size() > 1) text += ", " + octree;
        if (o.levels.size() > 1) text += ", levels " + std::to_string(levels);
        if (o.leaf_sizes.size() > 1) text += ", leaves of " + std::to_string(leaf_size);
        return text;
    }
};

std::vector<BenchCase> cases_of(const RadiosityBenchOptions& o) {
    std::vector<BenchCase> cases;
    for (auto& mode : o.modes)
        for (auto& octree : o.octrees)
            for (int levels : o.levels)
                for (int leaf_size : o.leaf_sizes)
                    if (mode != "direct" || cases.empty() || cases.back().mode != mode)
                        cases.push_back({mode, octree, levels, leaf_size});
    return cases;
}

std::unique_ptr<Session> session_of(const RadiosityBenchOptions& o, const BenchCase& of,
                                    const ReadProgress& progress) {
    SessionOptions options;
    options.scene = o.scene;
    options.device = o.device;
    options.allow_outside = o.allow_outside;
    options.renderer = "radiosity";
    options.size = {64, 64};
    options.settings = {{"radiosity.mode", of.mode},
                        {"radiosity.octree", of.octree},
                        {"radiosity.octree-levels", std::to_string(of.levels)},
                        {"radiosity.leaf-size", std::to_string(of.leaf_size)},
                        {"radiosity.points", std::to_string(o.points)},
                        {"radiosity.bounces", std::to_string(o.bounces)},
                        {"radiosity.error", std::to_string(o.error)},
                        {"radiosity.visibility", o.visibility},
                        {"radiosity.link-threads", o.threads},
                        {"radiosity.link-search", o.search},
                        {"radiosity.expansions", o.expansions}};
    return make_session(options, {progress});
}

void render(Session& session, const ReadProgress& progress) {
    session.begin_frame();
    session.render_frame(progress);
    session.end_frame();
    session.timer().flush();
}

/// The octree over the points and, by the level of the receiving nodes, the links.
Json octree_json(const TransportReport& report, double octree_ms, double link_ms) {
    auto& octree = report.octree;
    Json levels = Json::array();
    for (auto& level : report.levels)
        levels.push_back({{"nodes", level.n_nodes},
                          {"links_of_groups", level.n_groups},
                          {"links_of_leaves", level.n_points},
                          {"links_by_bits", level.n_bits}});
    return {{"builder", octree.builder},
            {"most_levels", octree.most_levels},
            {"leaf_size", octree.leaf_size},
            {"height", std::max(octree.n_levels - 1, 0)},
            {"build_ms", octree_ms},
            {"links_ms", link_ms},
            {"levels", levels}};
}

/// Times of a mode, ms: the whole preparation of a picture, and its stages.
Json measure(const RadiosityBenchOptions& o, const BenchCase& of, const ReadProgress& progress) {
    auto session = session_of(o, of, progress);
    std::map<std::string, std::vector<double>> stages;
    std::vector<double> all, relight, octrees, links;
    auto report = [&] { return session->inspection().transport()->transport_report(); };
    auto run = [&](std::vector<double>& frames, bool with_stages) {
        render(*session, progress);
        for (auto& stage : session->timer().latest()) {
            double ms = double(stage.milliseconds);
            if (stage.name == "frame")
                frames.push_back(ms);
            else if (with_stages)
                stages[stage.name].push_back(ms);
        }
    };
    auto set = [&](const char* id, const std::string& text) {
        session->settings().set("radiosity", id, text);
        session->restart();
    };
    std::vector<double> unmeasured;
    set("link-memory", "false");
    run(unmeasured, false);
    for (RepeatCounter counter(session->device(), o.repeats.count(), o.repeats.most_seconds(),
                               progress);
         counter.continues(); counter.add(all.back())) {
        // Changes the points and restores them, so that nothing is reused.
        set("points", std::to_string(o.points + 1));
        run(unmeasured, false);
        set("points", std::to_string(o.points));
        run(all, true);
        octrees.push_back(report().octree.build_ms);
        links.push_back(report().link_ms);
        // Changes the samples of the lights, as if these had moved; links are reused.
        set("light-samples", counter.n_done() % 2 == 0 ? "63" : "64");
        run(relight, false);
    }
    Json counts = Json::object(), times = Json::object();
    for (auto& count : session->inspection().frame_counts()) counts[count.name] = count.value;
    for (auto& [name, ms] : stages) times[name] = median(ms);
    set("check-points", std::to_string(o.check));
    run(unmeasured, false);
    Json row{
        {"mode", of.mode},       {"octree", octree_json(report(), median(octrees), median(links))},
        {"all_ms", median(all)}, {"relight_ms", median(relight)},
        {"stages_ms", times},    {"counts", counts}};
    for (auto& figure : session->inspection().picture_figures())
        row["check"][figure.name] = figure.share;
    return row;
}

std::uint64_t count_of(Session& session, const std::string& name) {
    for (auto& count : session.inspection().frame_counts())
        if (count.name == name) return count.value;
    return 0;
}

/// Renders frames of a scene in motion in two sessions: one reuses the links of the previous frame,
/// the other finds them from scratch.
Json measure_motion(const RadiosityBenchOptions& o, const BenchCase& of,
                    const ReadProgress& progress) {
    constexpr int kUnmeasured = 2;  // until something is known
    constexpr float kSeconds = 1.0f / 24;
    auto followed = session_of(o, of, progress), anew = session_of(o, of, progress);
    if (!(followed->scene().duration > 0))
        throw UserError("--frames needs a scene in motion; nothing moves in " + o.scene);
    anew->settings().set("radiosity", "link-memory", "false");
    std::vector<double> known_ms, anew_ms, shares, known_rays, anew_rays;
    int n_same = 0;
    auto run = [&](Session& session, int frame, std::vector<double>& ms,
                   std::vector<double>& rays) {
        session.time = kSeconds * static_cast<float>(frame);
        render(session, progress);
        double sum = 0;
        for (auto& stage : session.timer().latest())
            if (stage.name == "parts of the scene" || stage.name == "links" ||
                stage.name == "visibility")
                sum += double(stage.milliseconds);
        if (frame < kUnmeasured) return;
        ms.push_back(sum);
        rays.push_back(double(count_of(session, "visibility rays")));
    };
    for (int frame = 0; frame < kUnmeasured + o.frames; ++frame) {
        progress.report_work("frames", double(frame) / (kUnmeasured + o.frames));
        run(*followed, frame, known_ms, known_rays);
        run(*anew, frame, anew_ms, anew_rays);
        if (frame < kUnmeasured) continue;
        double n_pairs = double(count_of(*followed, "pairs of groups tested"));
        shares.push_back(double(count_of(*followed, "pairs of groups in the visibility cache")) /
                         std::max(n_pairs, 1.0));
        auto radiance = [](Session& session) { return session.film().radiance(session.stream()); };
        n_same += radiance(*followed).rgb == radiance(*anew).rgb ? 1 : 0;
    }
    return {{"frames", o.frames},
            {"links_ms", median(known_ms)},
            {"links_from_nothing_ms", median(anew_ms)},
            {"known_share", median(shares)},
            {"rays", median(known_rays)},
            {"rays_from_nothing", median(anew_rays)},
            {"same_pictures", n_same}};
}

/// Prints a list of numbers, each in a line. `unit`: what follows each, with a space before it.
void print_figures(const char* title, const Json& values, const char* unit = "") {
    print("    %s\n", title);
    for (auto& [key, value] : values.items()) {
        auto name = key;
        std::ranges::replace(name, '_', ' ');
        auto text = value.is_number_float() ? three_digits(value.get<double>()) : value.dump();
        print("      %-48s %10s%s\n", name.c_str(), text.c_str(), unit);
    }
}

/// Prints a line of the octree, and one of the nodes and links of each level.
void print_octree(const Json& octree) {
    print("    octree %s: height %d in %.2f ms, links in %.2f ms\n",
          octree["builder"].get<std::string>().c_str(), octree["height"].get<int>(),
          octree["build_ms"].get<double>(), octree["links_ms"].get<double>());
    if (octree["levels"].empty()) return;
    std::string text;
    for (auto& level : octree["levels"]) {
        auto count = [&](const char* key) { return level[key].get<std::uint64_t>(); };
        text.append(text.empty() ? "" : ", ")
            .append(std::to_string(count("nodes")) + ": " +
                    std::to_string(count("links_of_groups") + count("links_of_leaves") +
                                   count("links_by_bits")));
    }
    print("    nodes: links, level by level: %s\n", text.c_str());
}

void bench_radiosity(const RadiosityBenchOptions& o) {
    begin_report(o.json);
    Json rows = Json::array();
    print("%d points of %s, %d bounces, error %g, %s\n", o.points, o.scene.c_str(), o.bounces,
          double(o.error), o.repeats.words(find_device(o.device)).c_str());
    auto cases = cases_of(o);
    BenchProgress progress(cases.size());
    for (auto& of : cases) {
        auto name = of.words(o);
        progress.begin(name);
        Json row = measure(o, of, progress.phases());
        progress.hide();
        print("%-12s %9.1f ms in all, %9.1f ms after a light has changed\n", name.c_str(),
              row["all_ms"].get<double>(), row["relight_ms"].get<double>());
        if (of.mode != "direct") print_octree(row["octree"]);
        print_figures("stages", row["stages_ms"], " ms");
        print_figures("counts", row["counts"]);
        if (row.contains("check")) print_figures("errors of links", row["check"]);
        if (o.frames > 0 && of.mode != "direct") {
            row["motion"] = measure_motion(o, of, progress.phases());
            print_figures("in motion", row["motion"]);
        }
        progress.end();
        rows.push_back(row);
    }
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "radiosity"},
                        {"machine", machine_report()},
                        {"device", o.device},
                        {"scene", o.scene},
                        {"points", o.points},
                        {"bounces", o.bounces},
                        {"requested_error", o.error},
                        {"visibility", o.visibility},
                        {"threads", o.threads},
                        {"search", o.search},
                        {"expansions", o.expansions},
                        {"repeat", o.repeats.count()},
                        {"most_seconds", o.repeats.most_seconds()},
                        {"modes", rows}});
}

/// Adds a flag that takes what the renderer's setting `id` does.
void add_choice(CLI::App& command, const char* flag, const char* id, std::string& value) {
    auto& setting = declared(id);
    add_value(command, flag, value, "ID", setting.help + " (" + setting.accepts() + ")")
        ->check(CLI::IsMember(setting.choices));
}

}  // namespace

void add_bench_radiosity_command(CLI::App& bench) {
    auto o = std::make_shared<RadiosityBenchOptions>();
    auto* radiosity = bench.add_subcommand(
        "radiosity", "Light between points of a scene, by every mode of the renderer radiosity");
    add_value(*radiosity, "--points", o->points, "N", "points on the scene's surfaces")
        ->check(between(1, 16'777'215));
    add_value(*radiosity, "--scene", o->scene, "SCENE", "the scene");
    radiosity
        ->add_option("--modes", o->modes,
                     "some of " + joined(declared("mode").choices) + "; default: all")
        ->type_name("MODE,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(declared("mode").choices));
    auto add_list = [&](const char* flag, auto& list, const char* type, const std::string& help) {
        return radiosity->add_option(flag, list, help)
            ->type_name(type)
            ->delimiter(',')
            ->allow_extra_args(false);
    };
    add_list("--octree", o->octrees, "BUILDER,...",
             "builders of the octree over the points: some of " +
                 joined(declared("octree").choices) +
                 "; default: " + declared("octree").default_text)
        ->check(CLI::IsMember(declared("octree").choices));
    add_list("--levels", o->levels, "N,...",
             "most levels of the octree below the root, a row for each; default: 21")
        ->check(between(1, OctreeHeader::kLevels));
    add_list("--leaf-size", o->leaf_sizes, "N,...",
             "most points of a leaf of the octree above the last level, a row for each; default: "
             "16")
        ->check(between(1, OctreeConfig::kMostLeafSize));
    add_value(*radiosity, "--bounces", o->bounces, "N", "most bounces")->check(between(1, 64));
    add_value(*radiosity, "--error", o->error, "X", "the requested error")
        ->check(between(0.0001f, 0.5f));
    add_choice(*radiosity, "--visibility", "visibility", o->visibility);
    add_choice(*radiosity, "--threads", "link-threads", o->threads);
    add_choice(*radiosity, "--search", "link-search", o->search);
    add_choice(*radiosity, "--expansions", "expansions", o->expansions);
    name_number(add_value(*radiosity, "--check", o->check, "N",
                          "points at which the error is measured; off: none")
                    ->check(between(0, 100'000)),
                "off");
    name_number(
        add_value(*radiosity, "--frames", o->frames, "N",
                  "pictures of a scene in motion, 1/24 s apart, whose links are found with what is "
                  "known from the picture before, and from nothing; off: none")
            ->check(between(0, 10'000)),
        "off");
    add_device_option(*radiosity, o->device);
    add_outside_option(*radiosity, o->allow_outside);
    add_repeat_options(*radiosity, o->repeats);
    add_json_option(*radiosity, o->json);
    radiosity->callback([o] { bench_radiosity(*o); });
}

}  // namespace tl
