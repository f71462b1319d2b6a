// `treelight render`: renders a picture to a file, or a sequence of them, without GL or a window.
#include <chrono>

#include "app/commands/render_picture.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/output.h"
#include "app/jobs/sampling_progress.h"
#include "app/jobs/scene_warnings.h"
#include "app/jobs/shared_picture.h"
#include "app/jobs/terminal_progress.h"
#include "app/jobs/video_writer.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "session/add_samples.h"

namespace tl {
namespace {

using RenderClock = std::chrono::steady_clock;

void sample_alone(Session& session, int spp, AovBuffers& layers, const InterruptFlag& interrupt) {
    TerminalProgress progress("samples", spp);
    TimeLeft left;
    auto last = RenderClock::now();
    auto stopped = [&] { return interrupt.is_set(); };
    add_samples(session, spp, layers, stopped, [&] {
        auto now = RenderClock::now();
        left.add(sampling_state(session, static_cast<std::uint32_t>(spp)),
                 std::chrono::duration<double>(now - last).count());
        last = now;
        progress.show(static_cast<int>(session.samples()),
                      {finished_text(session), left.seconds()});
    });
}

/// Throws UserError for what ranks that divide a picture cannot do.
void require_divisible(Session& session) {
    for (auto& setting : session.renderer().settings())
        if (setting->id == "contrast-samples" && setting.text() != "0")
            throw UserError(
                "--photon-contrast-samples needs the pixels of all ranks; leave it out, or render "
                "by one process");
}

/// Early end of a picture's sampling.
struct EarlyEnd {
    std::string cause;          ///< "Ctrl+C"; "" where the picture is whole
    std::uint32_t samples = 0;  ///< at every pixel
};

/// The samples of all ranks, added up at the root.
EarlyEnd sample_together(Session& session, const RenderOptions& o, AovBuffers& layers,
                         const InterruptFlag& interrupt, RankGroup& ranks) {
    TerminalProgress progress("samples", o.spp, LogLines::yes);
    SharedPicture picture(session, ranks, std::chrono::seconds(o.rank_timeout),
                          [&] { return interrupt.is_set(); });
    auto show = [&](int samples) {
        if (ranks.is_root()) progress.show(samples, {finished_text(session)});
    };
    add_samples(
        session, o.spp, layers, [&] { return picture.stopped(); },
        [&] { show(picture.show(o.spp)); });
    auto end = picture.finish(o.spp, show);
    if (end.n_stopped == 0) return {};
    return {interrupt.is_set() ? interrupt.cause() : "a signal to another rank", end.samples};
}

/// Renders the picture.
EarlyEnd sample_picture(Session& session, const RenderOptions& o, AovBuffers& layers, Ranks* job) {
    InterruptFlag interrupt;
    EarlyEnd end;
    if (job)
        end = sample_together(session, o, layers, interrupt, job->all());
    else {
        sample_alone(session, o.spp, layers, interrupt);
        bool is_whole = session.samples() >= static_cast<std::uint32_t>(o.spp);
        if (interrupt.is_set() && !is_whole) end = {interrupt.cause(), session.samples()};
    }
    return end;
}

void render_one(const RenderOptions& o) {
    if (o.resume || !o.plan.camera_path.empty() || o.plan.bookmark_seconds > 0)
        throw UsageError(
            "--resume, --camera-path and --bookmark-seconds are for sequences; add --frames "
            "FIRST:LAST");
    if (is_video(o.output))
        throw UsageError(o.output + ": a video is a sequence; add --frames FIRST:LAST");
    Ranks* job = open_job(std::chrono::seconds(o.rank_timeout));
    std::unique_ptr<Session> session;
    AovBuffers layers;
    do_together(job, [&] {
        if (is_root(job)) check_picture_path(o.output);
        session = make_session(o);
        if (job) require_divisible(*session);
        // The layers are cheap beside the samples, and need no other rank.
        if (is_root(job)) layers.resize(session->stream(), o.size, o.aovs);
    });
    if (is_root(job)) print_scene_warnings(*session);
    auto start = RenderClock::now();
    auto early = sample_picture(*session, o, layers, job);
    if (job) job->conclude();
    if (!is_root(job)) return;
    if (!early.cause.empty() && early.samples == 0)
        throw UserError("stopped by " + early.cause +
                        " before the first sample; nothing is written");
    std::chrono::duration<double> seconds = RenderClock::now() - start;
    if (auto warning = session->inspection().take_tree_warning(true); !warning.empty())
        print_warning(warning);
    write_file(o.output, encode_picture(*session, layers, o.output));
    auto unit = plural(session->samples(), "sample");
    auto samples = std::to_string(session->samples()) + " " + unit;
    if (session->film().convergence())
        samples = formatted("%.1f (at most %u) %s",
                            static_cast<double>(session->film().mean_samples(session->stream())),
                            session->samples(), unit.c_str());
    print("%s: %dx%d, %s a pixel in %.2f s%s%s on %s\n", o.output.c_str(), o.size.width,
          o.size.height, samples.c_str(), seconds.count(), denoised_text(*session).c_str(),
          ranks_text(job).c_str(), session->device().name().c_str());
    // A rank knows the figures of its own pixels only.
    if (!job)
        for (auto& figure : session->inspection().picture_figures())
            print("%s: %.3g %%\n", figure.name.c_str(), 100 * figure.share);
    if (!early.cause.empty())
        throw UserError(formatted("stopped by %s after %u of %d samples; %s holds these",
                                  early.cause.c_str(), early.samples, o.spp, o.output.c_str()));
}

void render(const RenderOptions& o) {
    if (o.scene.empty()) throw UsageError("render needs a scene: treelight render SCENE -o x.png");
    if (o.aovs.any() && !is_exr(o.output))
        throw UsageError(o.output + ": --aov writes layers, which only .exr has; try -o out.exr");
    if (o.is_sequence())
        render_sequence(o);
    else
        render_one(o);
}

/// Accepts what parse_frame_range() does.
std::string frame_range_fault(const std::string& text) {
    try {
        (void)parse_frame_range(text);
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

void add_sequence_options(CLI::App& command, const std::shared_ptr<RenderOptions>& o) {
    auto add = [&](CLI::Option* option) { return option->group("Sequences"); };
    add(command
            .add_option_function<std::string>(
                "--frames", [o](const std::string& text) { o->frames = parse_frame_range(text); },
                "render the frames FIRST to LAST of the scene's motion, both included, given as "
                "FIRST:LAST (0:99), into a file each; -o then has a number, such as "
                "frame_%04d.png, or is a video (.mp4, .mkv, .mov, .webm), which ffmpeg makes")
            ->type_name("RANGE")
            ->check(CLI::Validator(frame_range_fault, "")));
    for (auto& setting : sequence_settings(o->plan)) add(add_number_flag(command, setting));
    add(command
            .add_option("--camera-path", o->plan.camera_path,
                        "file of cameras with times, .toml or .json, which the camera follows")
            ->type_name("FILE"));
    add(command.add_flag("--resume", o->resume,
                         "keep the files that exist, which are whole, and render the others"));
}

}  // namespace

void add_render_command(CLI::App& program) {
    auto options = std::make_shared<RenderOptions>();
    auto* command =
        program.add_subcommand("render", "Render a scene into a file, without a window");
    add_session_options(*command, *options);
    add_value(*command, "--spp", options->spp, "N", "samples a pixel")
        ->check(between(1, kMostSamples));
    add_value(*command, "-o,--output", options->output, "FILE",
              "picture: .png (tone-mapped), .hdr or .exr (linear)");
    std::string ids;
    for (auto& id : aov_ids()) ids += ", " + id;
    command
        ->add_option_function<std::string>(
            "--aov", [options](const std::string& list) { options->aovs = parse_aov_set(list); },
            "auxiliary pictures, as layers of an .exr: all" + ids)
        ->type_name("LIST");
    add_sequence_options(*command, options);
    add_value(*command, "--rank-timeout", options->rank_timeout, "S",
              "with mpirun: longest time without a sign of a rank, more than a sample takes")
        ->check(between(1, 1'000'000))
        ->group("Several machines");
    command->callback([options] { render(*options); });
}

}  // namespace tl
