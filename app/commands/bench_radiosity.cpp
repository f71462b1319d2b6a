// `treelight bench radiosity`: light transport between points of a scene by every mode of the
// renderer `radiosity`, stage by stage. Reports the links of each mode and the error of its sums
// against those over all pairs. For a scene in motion, reports the cost of links that are updated
// from frame to frame.
#include <algorithm>

#include "app/commands/bench_options.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/work_timer.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct RadiosityBenchOptions {
    std::string scene = "generate:cornell-box,blocks=true";
    std::string device = "auto", json, visibility = "rays", threads = "pairs",
                expansions = "interpolation";
    std::vector<std::string> modes{"direct", "hierarchical", "fmm"};
    int points = 10'000, bounces = 4, check = 256, frames = 0;
    BenchRepeats repeats{5};
    float error = 0.01f;
    bool allow_outside = false;
};

std::unique_ptr<Session> session_of(const RadiosityBenchOptions& o, const std::string& mode,
                                    const ReadProgress& progress) {
    SessionOptions options;
    options.scene = o.scene;
    options.device = o.device;
    options.allow_outside = o.allow_outside;
    options.renderer = "radiosity";
    options.size = {64, 64};
    options.settings = {{"radiosity.mode", mode},
                        {"radiosity.points", std::to_string(o.points)},
                        {"radiosity.bounces", std::to_string(o.bounces)},
                        {"radiosity.error", std::to_string(o.error)},
                        {"radiosity.visibility", o.visibility},
                        {"radiosity.link-threads", o.threads},
                        {"radiosity.expansions", o.expansions}};
    return make_session(options, {progress});
}

void render(Session& session, const ReadProgress& progress) {
    session.begin_frame();
    session.render_frame(progress);
    session.end_frame();
    session.timer().flush();
}

/// Times of a mode, ms: the whole preparation of a picture, and its stages.
Json measure(const RadiosityBenchOptions& o, const std::string& mode,
             const ReadProgress& progress) {
    auto session = session_of(o, mode, progress);
    std::map<std::string, std::vector<double>> stages;
    std::vector<double> all, relight;
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
        // Changes the samples of the lights, as if these had moved; links are reused.
        set("light-samples", counter.n_done() % 2 == 0 ? "63" : "64");
        run(relight, false);
    }
    Json counts = Json::object(), times = Json::object();
    for (auto& count : session->inspection().frame_counts()) counts[count.name] = count.value;
    for (auto& [name, ms] : stages) times[name] = median(ms);
    set("check-points", std::to_string(o.check));
    run(unmeasured, false);
    Json row{{"mode", mode},
             {"all_ms", median(all)},
             {"relight_ms", median(relight)},
             {"stages_ms", times},
             {"counts", counts}};
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
Json measure_motion(const RadiosityBenchOptions& o, const std::string& mode,
                    const ReadProgress& progress) {
    constexpr int kUnmeasured = 2;  // until something is known
    constexpr float kSeconds = 1.0f / 24;
    auto followed = session_of(o, mode, progress), anew = session_of(o, mode, progress);
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

std::string figures_of(const Json& values, int digits) {
    std::string text;
    for (auto& [name, value] : values.items()) {
        char number[40];
        std::snprintf(number, sizeof number, "%.*f", digits, value.get<double>());
        text += (text.empty() ? "" : ", ") + name + " " + number;
    }
    return text;
}

void bench_radiosity(const RadiosityBenchOptions& o) {
    begin_report(o.json);
    Json rows = Json::array();
    print("%d points of %s, %d bounces, error %g, %s\n", o.points, o.scene.c_str(), o.bounces,
          double(o.error), o.repeats.words(find_device(o.device)).c_str());
    BenchProgress progress(o.modes.size());
    for (auto& mode : o.modes) {
        progress.begin(mode);
        Json row = measure(o, mode, progress.phases());
        progress.hide();
        print("%-12s %9.1f ms in all, %9.1f ms after a light has changed\n", mode.c_str(),
              row["all_ms"].get<double>(), row["relight_ms"].get<double>());
        print("    ms: %s\n", figures_of(row["stages_ms"], 2).c_str());
        print("    %s\n", figures_of(row["counts"], 0).c_str());
        if (row.contains("check")) print("    %s\n", figures_of(row["check"], 5).c_str());
        if (o.frames > 0 && mode != "direct") {
            row["motion"] = measure_motion(o, mode, progress.phases());
            print("    in motion: %s\n", figures_of(row["motion"], 3).c_str());
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
                        {"expansions", o.expansions},
                        {"repeat", o.repeats.count()},
                        {"most_seconds", o.repeats.most_seconds()},
                        {"modes", rows}});
}

}  // namespace

void add_bench_radiosity_command(CLI::App& bench) {
    auto o = std::make_shared<RadiosityBenchOptions>();
    auto* radiosity = bench.add_subcommand(
        "radiosity", "Light between points of a scene, by every mode of the renderer radiosity");
    add_value(*radiosity, "--points", o->points, "N", "points on the scene's surfaces")
        ->check(between(1, 16'777'215));
    add_value(*radiosity, "--scene", o->scene, "SCENE", "the scene");
    radiosity->add_option("--modes", o->modes, "some of direct, hierarchical, fmm; default: all")
        ->type_name("MODE,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"direct", "hierarchical", "fmm"}));
    add_value(*radiosity, "--bounces", o->bounces, "N", "most bounces")->check(between(1, 64));
    add_value(*radiosity, "--error", o->error, "X", "the requested error")
        ->check(between(0.0001f, 0.5f));
    add_value(*radiosity, "--visibility", o->visibility, "KIND", "rays, points or none")
        ->check(CLI::IsMember({"rays", "points", "none"}));
    add_value(*radiosity, "--threads", o->threads, "WAY",
              "how pairs of groups are given to threads: pairs, nodes or teams")
        ->check(CLI::IsMember({"pairs", "nodes", "teams"}));
    add_value(*radiosity, "--expansions", o->expansions, "FORM",
              "of mode fmm: interpolation or harmonics")
        ->check(CLI::IsMember({"interpolation", "harmonics"}));
    add_value(*radiosity, "--check", o->check, "N",
              "points at which the error is measured; 0: none")
        ->check(between(0, 100'000));
    add_value(*radiosity, "--frames", o->frames, "N",
              "pictures of a scene in motion, 1/24 s apart, whose links are found with what is "
              "known from the picture before, and from nothing; 0: none")
        ->check(between(0, 10'000));
    add_device_option(*radiosity, o->device);
    add_outside_option(*radiosity, o->allow_outside);
    add_repeat_options(*radiosity, o->repeats);
    add_json_option(*radiosity, o->json);
    radiosity->callback([o] { bench_radiosity(*o); });
}

}  // namespace tl
