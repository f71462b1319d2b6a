// `treelight render`: renders a picture to a file, without GL or a window.
#include <chrono>
#include <cstdio>

#include "accel/parallel/error.h"
#include "accel/parallel/run_ahead.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/sampling_progress.h"
#include "app/jobs/terminal_progress.h"
#include "renderer/aov/aov_samples.h"

namespace tl {
namespace {

struct RenderOptions : SessionOptions {
    int spp = 64;
    std::string output = "out.png";
    AovSet aovs;  ///< additional layers (AOVs)
};

/// Adds one sample to the auxiliary layers, for the frame that the session has just rendered.
void add_layers(Session& session, AovBuffers& layers) {
    SceneView scene = session.live_scene().view();
    TL_DISPATCH(session.device(),
                add_aov_sample(session.stream(), session.newest_frame(), scene, layers.view()));
}

/// Adds samples until there are `spp`, every pixel has reached the requested error, or Ctrl+C stops
/// it, which returns true. Throws UserError where it is stopped before the first sample.
bool add_samples(Session& session, int spp, AovBuffers& layers) {
    constexpr std::size_t kFramesInFlight = 4;  // more would have to be waited for after Ctrl+C
    TerminalProgress progress("samples", spp);
    InterruptFlag interrupt;
    RunAhead ahead(kFramesInFlight);
    TimeLeft left;
    auto last = std::chrono::steady_clock::now();
    auto samples = [&] { return static_cast<int>(session.samples()); };
    while (samples() < spp && !session.finished() && !interrupt.is_set()) {
        session.begin_frame();
        if (session.render_frame()) add_layers(session, layers);
        session.end_frame();
        ahead.end_step(session.stream());
        auto now = std::chrono::steady_clock::now();
        left.add(sampling_state(session, static_cast<std::uint32_t>(spp)),
                 std::chrono::duration<double>(now - last).count());
        last = now;
        progress.show(samples(), {finished_text(session), left.seconds()});
    }
    session.stream().synchronize();
    if (interrupt.is_set() && samples() == 0)
        throw UserError("stopped by Ctrl+C before the first sample; nothing is written");
    return interrupt.is_set() && samples() < spp;
}

void render(const RenderOptions& o) {
    if (o.scene.empty()) throw UsageError("render needs a scene: treelight render SCENE -o x.png");
    check_picture_path(o.output);
    if (o.aovs.any() && !is_exr(o.output))
        throw UsageError(o.output + ": --aov writes layers, which only .exr has; try -o out.exr");
    auto session = make_session(o);
    for (auto& warning : session->scene().warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    AovBuffers layers;
    layers.resize(session->stream(), o.size, o.aovs);
    auto start = std::chrono::steady_clock::now();
    bool stopped = add_samples(*session, o.spp, layers);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (auto warning = session->take_tree_warning(true); !warning.empty())
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    if (o.aovs.any())
        write_layers(o.output, radiance_of(session->stream(), session->shown_film()),
                     layers.planes(session->stream()));
    else
        save_film(*session, o.output);
    auto samples = std::to_string(session->samples());
    if (session->film().convergence())
        samples = formatted("%.1f (at most %u)",
                            static_cast<double>(session->film().mean_samples(session->stream())),
                            session->samples());
    std::printf("%s: %dx%d, %s samples a pixel in %.2f s on %s\n", o.output.c_str(), o.size.width,
                o.size.height, samples.c_str(), seconds.count(), session->device().name().c_str());
    for (auto& figure : session->picture_figures())
        std::printf("%s: %.3g %%\n", figure.name.c_str(), 100 * figure.share);
    if (stopped)
        throw UserError(formatted("stopped by Ctrl+C after %u of %d samples; %s holds these",
                                  session->samples(), o.spp, o.output.c_str()));
}

}  // namespace

void add_render_command(CLI::App& program) {
    auto options = std::make_shared<RenderOptions>();
    auto* command =
        program.add_subcommand("render", "Render a scene into a file, without a window");
    add_session_options(*command, *options);
    add_value(*command, "--spp", options->spp, "N", "samples a pixel")->check(between(1, 1 << 20));
    add_value(*command, "-o,--output", options->output, "FILE",
              "picture: .png (tone-mapped), .hdr or .exr (linear)");
    std::string ids;
    for (auto& id : aov_ids()) ids += ", " + id;
    command
        ->add_option_function<std::string>(
            "--aov", [options](const std::string& list) { options->aovs = parse_aov_set(list); },
            "auxiliary pictures, as layers of an .exr: all" + ids)
        ->type_name("LIST");
    command->callback([options] { render(*options); });
}

}  // namespace tl
