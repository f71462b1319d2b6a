// `treelight bench frame`: times of a frame, stage by stage, as a table and as JSON; and the frame
// rate when frames follow each other without waiting.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "accel/bvh/inspect/tree_stats.h"
#include "app/commands/bench_options.h"
#include "app/commands/commands.h"
#include "app/commands/rays_alone.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/scene_warnings.h"
#include "app/jobs/statistics.h"
#include "app/jobs/terminal_progress.h"
#include "app/jobs/text_table.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/device/steps_in_flight.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr DeviceDefault<Extent> kFrameExtents{{640, 360}, {1920, 1080}};

struct FrameBenchOptions : SessionOptions {
    static constexpr int kUsualFrames = 50, kUsualWarmup = 10;
    int frames = 0;       ///< 0: the usual number
    int warmup = -1;      ///< below 0: the usual number
    double seconds = -1;  ///< time limit of each phase; below 0: see complete_options()
    bool animate = false;
    bool rays_alone = false;
    std::uint64_t rays_memory = 4096;  ///< maximum MB for recorded rays
    std::string json;
};

/// Milliseconds of every measured frame, by stage, in the order in which the stages run.
struct FrameTimes {
    struct Stage {
        std::string name;
        StageKind kind;
        std::vector<double> times;
    };
    std::vector<Stage> stages;
    std::vector<double> wall;
    int n_updates[3] = {};  ///< frames by UpdateKind

    void add(const std::vector<StageTime>& of_frame) {
        for (auto& time : of_frame) {
            auto known = std::ranges::find(stages, time.name, &Stage::name);
            if (known == stages.end()) known = stages.insert(known, {time.name, time.kind, {}});
            known->times.push_back(time.milliseconds);
        }
    }
    [[nodiscard]] double median_of(const std::string& name) const {
        auto stage = std::ranges::find(stages, name, &Stage::name);
        return stage == stages.end() ? 0 : median(stage->times);
    }
    [[nodiscard]] double median_of(StageKind kind) const {
        auto stage = std::ranges::find(stages, kind, &Stage::kind);
        return stage == stages.end() ? 0 : median(stage->times);
    }
};

/// Counts the frames of a phase, and ends it after its time limit.
class FrameCounter {
  public:
    FrameCounter(int most, double most_seconds) : most_(most), most_seconds_(most_seconds) {}
    [[nodiscard]] bool continues() const {
        return n_ < most_ && (n_ == 0 || most_seconds_ <= 0 || seconds() < most_seconds_);
    }
    void count() { ++n_; }
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    /// Until the end of the phase.
    [[nodiscard]] double seconds_left() const {
        double all = seconds() / std::max(n_, 1) * most_;
        return (most_seconds_ > 0 ? std::min(all, most_seconds_) : all) - seconds();
    }

  private:
    using Clock = std::chrono::steady_clock;
    int most_, n_ = 0;
    double most_seconds_;
    Clock::time_point start_ = Clock::now();
};

constexpr float kFrameSeconds = 1.0f / 60;
constexpr std::size_t kFramesInFlight = 2;

/// Renders one frame like the viewer, without presenting: tree, tracing, tone mapping. The
/// denoiser, where the settings ask for it, runs in each frame.
void run_frame(Session& session, const FrameBenchOptions& o, View<std::uint32_t> picture) {
    if (o.animate) session.time += kFrameSeconds;
    session.begin_frame();
    session.render_frame();
    session.display().denoise(DenoiseWhen::now);
    {
        StageTimer::Scope stage(session.timer(), "tone map", StageKind::display);
        session.display().show(picture, false);
    }
    session.end_frame();
}

ProgressNotes notes_of(const FrameCounter& counter, const char* state) {
    ProgressNotes notes{state};
    if (counter.n() > 0) notes.seconds_left = counter.seconds_left();
    return notes;
}

FrameTimes measure_frames(Session& session, const FrameBenchOptions& o,
                          View<std::uint32_t> picture) {
    FrameTimes times;
    TerminalProgress progress("frames", o.frames);
    for (FrameCounter counter(o.frames, o.seconds); counter.continues(); counter.count()) {
        progress.show(counter.n(), notes_of(counter, "alone"));
        auto start = std::chrono::steady_clock::now();
        run_frame(session, o, picture);
        session.timer().flush();
        std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
        times.wall.push_back(wall.count());
        times.add(session.timer().latest());
        ++times.n_updates[static_cast<int>(session.live_scene().update_kind())];
    }
    return times;
}

/// Mean frame rate with as many frames in flight as in the viewer: the host enqueues one while the
/// device runs another.
double measure_in_flight(Session& session, const FrameBenchOptions& o,
                         View<std::uint32_t> picture) {
    StepsInFlight ahead(kFramesInFlight);
    session.timer().flush();
    TerminalProgress progress("frames", o.frames);
    FrameCounter counter(o.frames, o.seconds);
    for (; counter.continues(); counter.count()) {
        progress.show(counter.n(), notes_of(counter, "in flight"));
        run_frame(session, o, picture);
        ahead.end_step(session.stream());
    }
    session.stream().synchronize();
    return counter.n() / std::max(counter.seconds(), 1e-9);
}

Json time_json(const std::vector<double>& samples) {
    return {{"median_ms", median(samples)}, {"p95_ms", p95(samples)}};
}

void print_table(const Json& report, const FrameTimes& times) {
    print("%s, %s, %s on %s, %dx%d\n", text_of(report["session"], "scene"),
          text_of(report["session"], "renderer"), text_of(report["session"], "builder"),
          text_of(report["session"], "device"), report["session"]["width"].get<int>(),
          report["session"]["height"].get<int>());
    TextTable table("stage", 20);
    auto print_stage = [&](const std::string& name, const std::vector<double>& of_stage) {
        table.row(name)
            .number("median ms", median(of_stage))
            .number("p95 ms", p95(of_stage))
            .print();
    };
    for (auto& stage : times.stages) print_stage(stage.name, stage.times);
    print_stage("wall", times.wall);
    TextTable counts("counted in a frame", 20);
    for (auto& count : report["counts"])
        counts.row(count["name"])
            .cell("count", count["value"].dump())
            .cell("M/s",
                  count.contains("per_s") ? three_digits(count["per_s"].get<double>() / 1e6) : "-")
            .print();
    for (auto& figure : report["figures"])
        print_entry(figure["name"], three_digits(100 * figure["share"].get<double>()) + " %");
    auto number = [&](const Json& value) { return three_digits(value.get<double>()); };
    print_entry("frame rate", number(report["fps"]) + " fps");
    print_entry("rays", number(report["mrays_per_s"]) + " Mrays/s of " +
                            report["rays_per_frame"].dump() + " rays a frame");
    print_entry("tree", number(report["mtri_per_s"]) + " Mtri/s of " +
                            report["session"]["primitives"].dump() + " primitives, SAH cost " +
                            number(report["tree"]["sah"]) + ", depth " +
                            report["tree"]["depth"].dump());
    print_entry("allocations",
                report["steady_state_allocations"].dump() + " in the measured frames");
}

/// Renders frames before those that are measured; returns how many.
int warm_up(Session& session, const FrameBenchOptions& o, View<std::uint32_t> picture) {
    TerminalProgress progress("frames", o.warmup);
    FrameCounter counter(o.warmup, o.seconds);
    while (counter.continues()) {
        progress.show(std::min(counter.n(), o.warmup), {"warm-up"});
        run_frame(session, o, picture);
        counter.count();
    }
    session.timer().flush();
    return counter.n();
}

/// Sets the options that were not given. On the CPU each phase is then limited in time, whatever
/// the scene.
void complete_options(FrameBenchOptions& o, const Device& device) {
    constexpr double kUsualSeconds = 12;
    kFrameExtents.fill(o.size, device);
    bool is_limited = device.kind() == DeviceKind::cpu && o.frames == 0;
    if (o.seconds < 0) o.seconds = is_limited ? kUsualSeconds : 0;
    if (o.frames == 0) o.frames = FrameBenchOptions::kUsualFrames;
    if (o.warmup < 0) o.warmup = FrameBenchOptions::kUsualWarmup;
}

void bench_frame(FrameBenchOptions o) {
    if (o.scene.empty()) throw UsageError("bench frame needs a scene: treelight bench frame SCENE");
    begin_report(o.json);
    complete_options(o, *find_devices(o.device)[0]);
    auto session = make_session(o);
    print_scene_warnings(*session);
    if (session->live_scene().tree_config().update == UpdatePolicy::by_device)
        session->settings().set("tree", "update", "rebuild");  // what is measured, on every device
    DeviceArray<std::uint32_t> picture(session->stream(), o.size.pixels());
    o.warmup = warm_up(*session, o, picture.view());

    auto before = session->device().memory_stats();
    FrameTimes times = measure_frames(*session, o, picture.view());
    auto after = session->device().memory_stats();
    auto rays = session->film().rays_of_frame(session->scratch());
    auto tree = measure_tree(session->stream(), session->live_scene().tree());

    double trace_ms = times.median_of(StageKind::trace),
           build_ms = times.median_of(StageKind::build);
    if (build_ms == 0) build_ms = times.median_of(StageKind::refit);
    if (auto warning = session->inspection().take_warning(true); !warning.empty())
        print_warning(warning);
    Json updates;
    for (auto kind : {UpdateKind::none, UpdateKind::refit, UpdateKind::rebuild})
        updates[name_of(kind)] = times.n_updates[static_cast<int>(kind)];
    Json stages = Json::array();
    for (auto& stage : times.stages) {
        Json row = time_json(stage.times);
        row["name"] = stage.name;
        stages.push_back(row);
    }
    Json counts = Json::array();
    for (auto& count : session->inspection().frame_counts()) {
        Json row{{"name", count.name}, {"value", count.value}};
        if (count.n_rays > 0)
            row["a_ray"] = static_cast<double>(count.value) / static_cast<double>(count.n_rays);
        if (count.n_all > 0)
            row["share"] = static_cast<double>(count.value) / static_cast<double>(count.n_all);
        if (double ms = times.median_of(count.stage); ms > 0)
            row["per_s"] = static_cast<double>(count.value) / ms * 1000;
        counts.push_back(row);
    }
    Json figures = Json::array();
    for (auto& figure : session->inspection().picture_figures())
        figures.push_back({{"name", figure.name}, {"share", figure.share}});
    Json report{{"schema", 1},
                {"kind", "frame"},
                {"machine", machine_report()},
                {"session", session_report(*session)},
                {"warmup_frames", o.warmup},
                {"frames", times.wall.size()},
                {"animate", o.animate},
                {"tree_updates", updates},
                {"stages", stages},
                {"counts", counts},
                {"figures", figures},
                {"wall", time_json(times.wall)},
                {"fps", 1000 / std::max(median(times.wall), 1e-9)},
                {"rays_per_frame", rays},
                {"mrays_per_s", trace_ms > 0 ? static_cast<double>(rays) / trace_ms / 1000 : 0},
                {"mtri_per_s",
                 build_ms > 0 ? session->live_scene().primitive_count() / build_ms / 1000 : 0},
                {"tree",
                 {{"nodes", tree.n_nodes},
                  {"leaves", tree.n_leaves},
                  {"depth", tree.depth},
                  {"sah", tree.sah},
                  {"bytes", tree.bytes}}},
                {"steady_state_allocations", after.allocation_count - before.allocation_count},
                {"memory_peak_bytes", after.bytes_peak}};
    print_table(report, times);
    if (o.rays_alone) {
        auto alone = measure_rays_alone(*session, static_cast<int>(times.wall.size()),
                                        o.rays_memory * 1000000);
        print_rays_alone(alone, trace_ms);
        report["rays_alone"] = rays_alone_json(alone, trace_ms);
    }
    // Last, since it advances an animated scene beyond the frame of the other measurements.
    double in_flight_fps = measure_in_flight(*session, o, picture.view());
    bool build_ahead = session->inspection().builds_ahead();
    print_entry("frames in flight", three_digits(in_flight_fps) +
                                        " fps with two frames in flight, build ahead " +
                                        (build_ahead ? "on" : "off"));
    report["in_flight_fps"] = in_flight_fps;
    report["build_ahead"] = build_ahead;
    if (!o.json.empty()) write_json(o.json, report);
}

}  // namespace

CLI::App& add_bench_command(CLI::App& program) {
    auto* bench = program.add_subcommand("bench", "Measure, with warm-up, medians and p95");
    bench->require_subcommand(1);
    auto options = std::make_shared<FrameBenchOptions>();
    options->size = {};
    auto* frame = bench->add_subcommand("frame", "What a frame costs, stage by stage");
    add_session_options(*frame, *options);
    frame->get_option("--size")->description("picture size, pixels" + words_of(kFrameExtents));
    frame
        ->add_option("--frames", options->frames,
                     "frames measured, each alone and then in flight; default: 50, on the CPU as "
                     "many of them as --seconds allows")
        ->type_name("N")
        ->check(between(1, 1000000));
    frame
        ->add_option("--warmup", options->warmup,
                     "frames rendered before the measured ones; default: 10")
        ->type_name("N")
        ->check(between(0, 1000000));
    name_number(
        frame
            ->add_option(
                "--seconds", options->seconds,
                "time limit of the warm-up, of the frames alone and of those in flight; off: "
                "none; default: 12 on the CPU, with --frames and on a GPU none")
            ->type_name("S")
            ->check(between(0.0, 1e9)),
        "off");
    frame->add_flag("--animate", options->animate,
                    "an animated scene advances by 1/60 s per frame");
    frame->add_flag("--rays-alone", options->rays_alone,
                    "also record the rays of the last frame, by kind, and time them alone, without "
                    "shading");
    add_value(*frame, "--rays-memory", options->rays_memory, "MB",
              "what --rays-alone may take of the device's memory; a ray takes 56 bytes")
        ->check(between(1, 1000000));
    add_json_option(*frame, options->json);
    frame->callback([options] { bench_frame(*options); });
    add_bench_trees_command(*bench);
    add_bench_photons_command(*bench);
    add_bench_octree_command(*bench);
    add_bench_fmm_command(*bench);
    add_bench_radiosity_command(*bench);
    add_bench_queries_command(*bench);
    add_bench_clouds_command(*bench);
    return *bench;
}

}  // namespace tl
