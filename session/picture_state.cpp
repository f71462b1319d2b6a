#include "session/picture_state.h"

#include "core/base/error.h"
#include "core/device/steps_in_flight.h"

namespace tl {
namespace {

template <class T>
std::string bytes_of(Session& session, const T* array) {
    std::string bytes(static_cast<std::size_t>(session.extent().pixels()) * sizeof(T), '\0');
    if (!bytes.empty())
        session.device().download(session.stream(), bytes.data(), array, bytes.size());
    return bytes;
}

template <class T>
void set_bytes(Session& session, T* array, const std::string& bytes) {
    auto size = static_cast<std::size_t>(session.extent().pixels()) * sizeof(T);
    if (bytes.size() != size || !array)
        throw UserError("the saved picture has other arrays than the film of this one");
    session.device().upload(session.stream(), array, bytes.data(), size);
}

/// Calls `visit` with the array of each selected channel: of numbers, or of sums.
template <class Visit>
void visit_layers(AovBuffers& layers, const Visit& visit) {
    auto view = layers.view();
    auto channels = layers.channels();
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!channels[c]) continue;
        if (aov_rows()[c].kind == AovKind::number)
            visit(view.ids[c]);
        else
            visit(view.values[c]);
    }
}

std::string text_of(Session& session, const std::string& id) {
    for (auto& setting : session.renderer().settings())
        if (setting->id == id) return setting.text();
    return "";
}

/// Renders the frames of samples without a pixel.
bool pass_samples(Session& session, std::uint32_t samples, const std::function<bool()>& stopped,
                  const std::function<void()>& show) {
    constexpr std::size_t kFramesInFlight = 4;
    constexpr FilmShare kNoPixel{0, 0};
    StepsInFlight ahead(kFramesInFlight);
    FilmShare share = session.share();
    session.set_share(kNoPixel);
    while (session.samples() < samples && !stopped()) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        ahead.end_step(session.stream());
        show();
    }
    session.stream().synchronize();
    session.set_share(share);
    return session.samples() == samples;
}

}  // namespace

void require_resumable(Session& session, const std::string& what) {
    auto refuse = [&](const std::string& why) { throw UserError(what + ": " + why); };
    if (session.devices().size() > 1)
        refuse(
            "a picture of several devices is not saved; name one by --device, or start a rank for "
            "each by mpirun");
    if (session.renderer().false_color())
        refuse(session.renderer_id() +
               " keeps numbers beside the picture, which are not saved; leave the checkpoint out");
    if (session.renderer_id() != "photon") return;
    if (text_of(session, "mode") == "sppm")
        refuse(
            "--photon-mode sppm keeps a radius for each pixel, which is not saved; take "
            "--photon-mode progressive");
    if (text_of(session, "estimate-error") == "true" || session.settings().sampling().error > 0)
        refuse(
            "the photon mapper estimates errors from figures of each pixel, which are not saved; "
            "leave --photon-estimate-error and --sampling-error out");
}

PictureState picture_state(Session& session, AovBuffers& layers,
                           std::vector<std::uint32_t> samples) {
    PictureState state;
    state.samples = std::move(samples);
    FilmView film = session.film().view();
    state.radiance_sum = bytes_of(session, film.radiance_sum);
    state.half_sum = bytes_of(session, film.half_sum);
    if (auto* convergence = session.film().convergence()) {
        state.done = bytes_of(session, convergence->done());
    }
    visit_layers(layers, [&](auto* array) { state.layers.push_back(bytes_of(session, array)); });
    return state;
}

bool resume_picture(Session& session, AovBuffers& layers, const PictureState& state,
                    std::size_t process, const std::function<bool()>& stopped,
                    const std::function<void()>& show) {
    if (!pass_samples(session, state.samples.at(process), stopped, show)) return false;
    FilmView film = session.film().view();
    set_bytes(session, film.radiance_sum, state.radiance_sum);
    set_bytes(session, film.half_sum, state.half_sum);
    if (auto* convergence = session.film().convergence()) {
        convergence->resume(session.stream(), {state.done.begin(), state.done.end()});
    }
    auto layer = state.layers.begin();
    visit_layers(layers, [&](auto* array) {
        if (layer == state.layers.end())
            throw UserError("the saved picture has fewer layers than this one");
        set_bytes(session, array, *layer++);
    });
    return true;
}

}  // namespace tl
