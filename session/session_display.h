// The picture of a session as it is displayed and saved: the film, smoothed where its settings ask
// for it, and tone-mapped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "renderer/display_config.h"
#include "renderer/images/picture_formats.h"

namespace tl {

class Session;

/// When SessionDisplay::denoise() smooths the picture.
enum class DenoiseWhen {
    now,           ///< unless that is done: sampling has ended, or the picture is kept
    at_intervals,  ///< as DenoiseSchedule has it
    never,         ///< the frame is not shown
};

/// Session::display(). Reads the session's film and never changes it.
///
/// denoise() and show() belong to the frame, in whichever thread it runs. Between
/// Session::begin_frame() and Session::end_frame() they use the settings of the frame's beginning,
/// so that the session's owner may change config() meanwhile. All else must wait for the frame's
/// end.
class SessionDisplay {
  public:
    explicit SessionDisplay(Session& session) : session_(session) {}

    /// Settings of the film.
    [[nodiscard]] DisplayConfig& config() { return config_; }
    /// Tone mapping of the picture: the settings', or none if the film holds false colours.
    [[nodiscard]] ToneMap shown_tone_map() const { return shown_tone_map(config_); }

    /// The film as it is saved: smoothed where the settings ask for it, unless it holds false
    /// colours. Never waits.
    [[nodiscard]] FilmView shown_film();
    /// Tone-mapped picture of shown_film(). Waits for the stream.
    [[nodiscard]] Image8 picture();

    /// Smooths the film for show() where the settings ask for it, as the stage kDenoiseStage of a
    /// frame; after Session::render_frame(). Never waits.
    void denoise(DenoiseWhen when);
    /// Whether denoise(DenoiseWhen::now) has something to do.
    [[nodiscard]] bool awaits_denoising() const;
    /// Seconds that the denoiser has taken so far; waits for the stream.
    [[nodiscard]] double denoise_seconds();
    /// Tone-maps the film for the display, to memory of the session's device; never waits. Shows
    /// the newest smoothed picture if it has the film's view, scene and settings.
    void show(View<std::uint32_t> rgba8, bool bottom_up);

  private:
    friend class Session;  // calls begin_frame(), end_frame() and clear()

    void begin_frame() { noted_ = config_; }
    void end_frame() { noted_.reset(); }
    /// Frees the smoothed picture, before the session moves to another device.
    void clear() { denoiser_.clear(); }

    [[nodiscard]] const DisplayConfig& frame_config() const { return noted_ ? *noted_ : config_; }
    [[nodiscard]] ToneMap shown_tone_map(const DisplayConfig& config) const;
    /// Whether the film is smoothed by these settings.
    [[nodiscard]] bool smooths(const DisplayConfig& config) const;
    [[nodiscard]] DenoiseMoment moment() const;
    /// Smooths the film with up to `n_guides` guide samples.
    void smooth(const DenoiseConfig& config, std::uint32_t n_guides);

    Session& session_;
    DisplayConfig config_;
    std::optional<DisplayConfig> noted_;  ///< set within a frame only
    Denoiser denoiser_;
};

/// Bytes of the film's file in a format, without layers. Waits for the frame; throws UserError.
[[nodiscard]] std::string encode_film(Session& session, const std::string& path,
                                      PictureFormat format);
/// Writes the film's file in the format of the path's ending, likewise.
void save_film(Session& session, const std::string& path);

}  // namespace tl
