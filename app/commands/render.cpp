// `treelight render`: renders a picture to a file, or a sequence of them, without GL or a window.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/commands/flag_groups.h"
#include "app/commands/render_picture.h"
#include "app/commands/value_option.h"
#include "app/jobs/checkpoint.h"
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
#include "session/render_region.h"

namespace tl {
namespace {

using RenderClock = std::chrono::steady_clock;

/// A picture in progress.
struct RenderTask {
    const RenderOptions& options;
    Session& session;
    AovBuffers& layers;
    const InterruptFlag& interrupt;
    Checkpoint* checkpoint;  ///< null: none
};

/// End of a picture's sampling.
struct SamplingEnd {
    std::string cause;                   ///< of an early end: "Ctrl+C"; "" for a whole picture
    std::vector<std::uint32_t> samples;  ///< of each rank, at the root
    [[nodiscard]] std::uint32_t fewest() const { return std::ranges::min(samples); }
};

SamplingEnd sample_alone(const RenderTask& p) {
    auto& session = p.session;
    int spp = p.options.spp;
    TerminalProgress progress("samples", spp);
    TimeLeft left;
    auto last = RenderClock::now();
    auto stopped = [&] { return p.interrupt.is_set(); };
    // The first sample of some renderers takes minutes.
    progress.show(static_cast<int>(session.samples()));
    add_samples(session, spp, p.layers, stopped, [&] {
        auto now = RenderClock::now();
        left.add(sampling_state(session, static_cast<std::uint32_t>(spp)),
                 std::chrono::duration<double>(now - last).count());
        last = now;
        progress.show(static_cast<int>(session.samples()),
                      {finished_text(session), left.seconds()});
        if (p.checkpoint && p.checkpoint->is_due())
            p.checkpoint->save(session, p.layers, {session.samples()});
    });
    bool is_whole = session.samples() >= static_cast<std::uint32_t>(spp) ||
                    (session.samples() > 0 && session.finished());
    bool is_cut = stopped() && !is_whole;
    return {is_cut ? p.interrupt.cause() : "", {session.samples()}};
}

/// Throws UserError for what ranks that divide a picture cannot do.
void require_divisible(Session& session) {
    if (session.renderer().compares_pixels())
        throw UserError(
            "--photon-contrast-samples and maps of --photon-show need the pixels of all ranks; "
            "leave "
            "them out, or render by one process");
}

/// The samples of all ranks, added up at the root.
SamplingEnd sample_together(const RenderTask& p, RankGroup& ranks) {
    auto& session = p.session;
    int spp = p.options.spp;
    TerminalProgress progress("samples", spp, LogLines::yes);
    SharedPicture picture(session, ranks, std::chrono::seconds(p.options.rank_timeout),
                          [&] { return p.interrupt.is_set(); });
    auto show = [&](int samples) {
        if (!ranks.is_root()) return;
        progress.show(samples, {finished_text(session)});
        if (!p.checkpoint || !p.checkpoint->is_due()) return;
        if (auto sums = picture.collect()) p.checkpoint->save(session, p.layers, *sums);
    };
    add_samples(
        session, spp, p.layers, [&] { return picture.stopped(); },
        [&] { show(picture.show(spp)); });
    auto end = picture.finish(spp, show);
    if (end.n_stopped == 0) return {"", end.samples};
    return {p.interrupt.is_set() ? p.interrupt.cause() : "a signal to another rank", end.samples};
}

/// Writes a picture, whose own file failed, to the folder of temporary files; returns its path
/// there, or "" where that fails too.
std::string rescue_picture(const std::string& path, const std::string& picture) {
    namespace fs = std::filesystem;
    std::error_code error;
    auto folder = fs::temp_directory_path(error);
    if (error) return "";
    auto name = "treelight-" + std::to_string(getpid()) + "-" + fs::path(path).filename().string();
    try {
        write_file((folder / name).string(), picture);
        return (folder / name).string();
    } catch (const UserError&) {
        return "";
    }
}

/// Writes the picture's file. If that fails, the checkpoint keeps the samples, or the folder of
/// temporary files the picture.
void write_picture(const RenderTask& p, const SamplingEnd& end) {
    auto& path = p.options.output;
    std::string picture;
    try {
        picture = encode_picture(p.session, p.layers, p.options);
        write_file(path, picture);
    } catch (const UserError& error) {
        if (p.checkpoint && p.checkpoint->save(p.session, p.layers, end.samples))
            throw UserError(message_of(error) + "; " + p.checkpoint->path() + " holds its samples");
        auto rescued = picture.empty() ? "" : rescue_picture(path, picture);
        if (rescued.empty()) throw;
        throw UserError(message_of(error) + "; the picture is in " + rescued);
    }
}

/// Prints the picture's size, samples and time.
void print_result(const RenderTask& p, double seconds, const Ranks* job) {
    auto& session = p.session;
    auto& o = p.options;
    auto unit = plural(session.samples(), "sample");
    auto samples = std::to_string(session.samples()) + " " + unit;
    if (session.film().convergence())
        samples = formatted("%.1f (at most %u) %s",
                            static_cast<double>(session.film().mean_samples(session.stream())),
                            session.samples(), unit.c_str());
    auto region = session.share().region;
    auto part = region.is_whole() ? std::string() : " (only " + text_of(region) + ")";
    print("%s: %dx%d%s, %s a pixel in %.2f s%s%s on %s\n", o.output.c_str(), o.size.width,
          o.size.height, part.c_str(), samples.c_str(), seconds, denoised_text(session).c_str(),
          ranks_text(job).c_str(), names_of(session.devices()).c_str());
    // A rank knows the figures of its own pixels only.
    if (job) return;
    for (auto& figure : session.inspection().picture_figures())
        print("%s: %.3g %%\n", figure.name.c_str(), 100 * figure.share);
}

/// Writes picture and checkpoint at the root, and reports them. Throws UserError for an early end.
void conclude(const RenderTask& p, const SamplingEnd& end, RenderClock::time_point start,
              const Ranks* job) {
    bool is_cut = !end.cause.empty();
    if (is_cut && end.fewest() == 0)
        throw UserError("stopped by " + end.cause + " before the first sample; nothing is written");
    bool is_kept = is_cut && p.checkpoint && p.checkpoint->save(p.session, p.layers, end.samples);
    std::chrono::duration<double> seconds = RenderClock::now() - start;
    if (auto warning = p.session.inspection().take_warning(true); !warning.empty())
        print_warning(warning);
    write_picture(p, end);
    print_result(p, seconds.count(), job);
    if (!is_cut) {
        if (p.checkpoint) p.checkpoint->remove();
        return;
    }
    auto kept = is_kept ? "; the same command continues " + p.checkpoint->path() : "";
    throw UserError(formatted("stopped by %s after %u of %d samples; %s holds these",
                              end.cause.c_str(), end.fewest(), p.options.spp,
                              p.options.output.c_str()) +
                    kept);
}

/// Throws UsageError for options of sequences.
void require_single(const RenderOptions& o) {
    if (o.resume || !o.plan.camera_path.empty() || o.plan.bookmark_seconds > 0)
        throw UsageError(
            "--resume, --camera-path and --bookmark-seconds are for sequences; add --frames "
            "FIRST:LAST");
    if (is_video(o.output))
        throw UsageError(o.output + ": a video is a sequence; add --frames FIRST:LAST");
    if (!o.checkpoint.empty() && o.checkpoint == o.output)
        throw UsageError("--checkpoint and -o name the same file; name two");
}

/// The checkpoint of the options, continued where its file exists; null without --checkpoint.
std::unique_ptr<Checkpoint> open_checkpoint(const RenderOptions& o, const ReadLog& files,
                                            Session& session, AovBuffers& layers,
                                            const InterruptFlag& interrupt, Ranks* job) {
    if (o.checkpoint.empty()) return nullptr;
    std::unique_ptr<Checkpoint> checkpoint;
    do_together(job, [&] {
        require_resumable(session, "--checkpoint");
        checkpoint =
            std::make_unique<Checkpoint>(o.checkpoint, std::chrono::seconds(o.checkpoint_every),
                                         picture_key(session, o, o.aovs, files));
    });
    auto spp = static_cast<std::uint32_t>(o.spp);
    if (auto samples = checkpoint->resume(session, layers, spp, job, interrupt))
        print("%s: continues after %u of %d samples\n", o.checkpoint.c_str(), *samples, o.spp);
    return checkpoint;
}

void render_one(const RenderOptions& o) {
    require_single(o);
    Ranks* job = open_job(std::chrono::seconds(o.rank_timeout));
    std::unique_ptr<Session> session;
    AovBuffers layers;
    ReadLog files;
    do_together(job, [&] {
        if (is_root(job)) check_picture_path(o.output);
        session = make_session(o, {.log = &files});
        apply_region(*session, o);
        if (job) require_divisible(*session);
        // The layers are cheap beside the samples, and need no other rank.
        if (is_root(job)) layers.resize(session->stream(), o.size, o.aovs);
    });
    if (is_root(job)) print_scene_warnings(*session);
    auto start = RenderClock::now();
    InterruptFlag interrupt;
    auto checkpoint = open_checkpoint(o, files, *session, layers, interrupt, job);
    RenderTask task{o, *session, layers, interrupt, checkpoint.get()};
    auto end = job ? sample_together(task, job->all()) : sample_alone(task);
    if (job) job->conclude();
    if (is_root(job)) conclude(task, end, start, job);
}

void render(const RenderOptions& o) {
    if (o.scene.empty()) throw UsageError("render needs a scene: treelight render SCENE -o x.png");
    if (o.aovs.any() && !is_exr(o.output))
        throw UsageError(o.output + ": --aov writes layers, which only .exr has; try -o out.exr");
    (void)o.film_region();
    if (o.png_bits != 8 && !is_png(o.output))
        throw UsageError(o.output + ": --png-bits is for .png; try -o out.png");
    if (o.is_sequence() && !o.checkpoint.empty())
        throw UsageError("--checkpoint is for one picture; --resume continues a sequence");
    if (o.is_sequence())
        render_sequence(o);
    else
        render_one(o);
}

void add_checkpoint_options(CLI::App& command, RenderOptions& o) {
    auto* file = command
                     .add_option("--checkpoint", o.checkpoint,
                                 "save the samples from time to time and at Ctrl+C; the same "
                                 "command then continues them, to the same picture")
                     ->type_name("FILE")
                     ->group(kOutputFlags);
    add_value(command, "--checkpoint-every", o.checkpoint_every, "S",
              "time between two states that --checkpoint saves")
        ->check(between(1, 1'000'000))
        ->needs(file)
        ->group(kMoreFlags);
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
    auto add = [&](CLI::Option* option) { return option->group(kSequenceFlags); };
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
                         "keep the files that exist, and render the others"));
}

}  // namespace

void add_render_command(CLI::App& program) {
    auto options = std::make_shared<RenderOptions>();
    auto* command =
        program.add_subcommand("render", "Render a scene into a file, without a window");
    add_value(*command, "-o,--output", options->output, "FILE",
              "picture: .png or .jpg (tone-mapped), .exr or .hdr (linear)");
    add_value(*command, "--spp", options->spp, "N", "samples a pixel")
        ->check(between(1, kMostSamples));
    add_session_options(*command, *options);
    auto channels = aov_ids();
    channels.insert(channels.begin(), "all");
    auto* aov = command
                    ->add_option_function<std::string>(
                        "--aov",
                        [options](const std::string& list) { options->aovs = parse_aov_set(list); },
                        "auxiliary pictures, as layers of an .exr: " + joined(channels))
                    ->type_name("LIST")
                    ->group(kOutputFlags);
    offer_words(*aov, channels);
    command
        ->add_option("--region", options->region,
                     "sample only these pixels, without column X1 and row Y1")
        ->expected(4)
        ->delimiter(',')
        ->type_name("X0,Y0,X1,Y1")
        ->group(kOutputFlags);
    add_value(*command, "--png-bits", options->png_bits, "N", "bits a channel of a .png: 8 or 16")
        ->check(CLI::IsMember({8, 16}))
        ->group(kMoreFlags);
    add_checkpoint_options(*command, *options);
    add_sequence_options(*command, options);
    add_value(*command, "--rank-timeout", options->rank_timeout, "S",
              "with mpirun: longest time without a sign of a rank, more than a sample takes")
        ->check(between(1, 1'000'000))
        ->group(kMoreFlags);
    command->callback([options] { render(*options); });
}

}  // namespace tl
