// The state shared by the viewer, `render` and `bench`: one device with a scene, a tree builder, a
// renderer and a film, each of which can be replaced between frames.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/base/read_progress.h"
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/pixel_tree.h"
#include "renderer/point_source.h"
#include "renderer/recorded_rays.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_points.h"
#include "renderer/scene/scene_edits.h"
#include "renderer/settings_sections.h"
#include "renderer/transport_source.h"
#include "session/build_ahead.h"

namespace tl {

/// When Session::denoise() smooths the picture.
enum class DenoiseWhen {
    now,           ///< unless that is done: sampling has ended, or the picture is kept
    at_intervals,  ///< as DenoiseSchedule has it
    never,         ///< the frame is not shown
};

class Session {
  public:
    /// `stream`: the stream of another session on the device, so that their frames are serialised
    /// instead of concurrent; null creates a new stream. While two sessions share a stream, neither
    /// builds trees ahead, so that each can be timed separately. `progress`: as for
    /// prepare_scene(); the first scene is empty.
    explicit Session(Device& device, std::shared_ptr<Stream> stream = nullptr,
                     const ReadProgress& progress = {});
    ~Session();

    /// A scene on a session's device, with the renderer and builder of its file. Belongs to that
    /// session alone.
    struct PreparedScene {
        std::shared_ptr<const Scene> scene;
        std::string renderer_id, builder_id;
        std::unique_ptr<LiveScene> live;
        std::unique_ptr<Renderer> renderer;
    };
    /// Does the slow part of setting a scene: copies it to the device. Changes nothing; may run in
    /// another thread while no frame does. `progress` receives that of the copy. Throws UserError
    /// if the scene does not fit or its file requests what does not exist.
    [[nodiscard]] PreparedScene prepare_scene(std::shared_ptr<const Scene> scene,
                                              const ReadProgress& progress = {}) const;
    /// Builds the scene's trees for time 0 with its future settings, so that the first frame need
    /// not. Threads, progress and errors as for prepare_scene(). Throws Cancelled where
    /// `cancellation` requests cancellation.
    void build_trees(PreparedScene& prepared, const ReadProgress& progress = {}) const;
    /// Replaces the scene and applies the settings of its file.
    void adopt(PreparedScene prepared);
    /// prepare_scene() and adopt(). If it throws, the current scene stays.
    void set_scene(std::shared_ptr<const Scene> scene, const ReadProgress& progress = {}) {
        adopt(prepare_scene(std::move(scene), progress));
    }

    /// Copies the scene, whose geometry was edited, to the session's device. Changes nothing; may
    /// run in another thread while no frame does. Throws UserError if it does not fit.
    [[nodiscard]] std::unique_ptr<LiveScene> prepare_edited() const;
    /// Updates the copy on the device after an edit of the scene. Keeps the settings. `prepared`:
    /// result of prepare_edited(), where the geometry has changed; null: the copy is made here.
    /// Throws UserError if the changes do not fit.
    void follow_scene(const SceneChange& change, std::unique_ptr<LiveScene> prepared = nullptr);

    /// The session's objects on another device.
    struct PreparedDevice {
        Device* device = nullptr;
        std::shared_ptr<Stream> stream;
        std::unique_ptr<Scratch> scratch;
        std::unique_ptr<StageTimer> timer;
        std::unique_ptr<LiveScene> live;
        std::unique_ptr<Renderer> renderer;
        Film film;
    };
    /// Does the slow part of changing the device, as prepare_scene() does for scenes. `stream` as
    /// for the constructor.
    [[nodiscard]] PreparedDevice prepare_device(Device& device,
                                                std::shared_ptr<Stream> stream = nullptr,
                                                const ReadProgress& progress = {}) const;
    /// Moves to the device and keeps scene, renderer, builder and settings.
    void adopt(PreparedDevice prepared);
    /// prepare_device() and adopt(), unless the device and the stream are those in use.
    void set_device(Device& device, std::shared_ptr<Stream> stream = nullptr,
                    const ReadProgress& progress = {});
    /// The setters keep the rest: a new renderer keeps the scene, builder and settings.
    void set_renderer(const std::string& id) { set_renderer(id, make_renderer(id, *device_)); }
    /// `renderer`: for the session's device; it need not be in the table of renderers.
    void set_renderer(const std::string& id, std::unique_ptr<Renderer> renderer);
    void set_builder(const std::string& id);
    /// Changes the film's size and discards its samples; a width or height of 0 is taken as 1.
    void resize(Extent extent);

    /// Sets a setting of a renderer, a builder, the tree or the film, by section id ("whitted",
    /// "lbvh", "tree", "film", "sampling"). The value survives a change of device, renderer or
    /// builder. Throws UserError listing the known ids.
    void set_setting(const std::string& section, const std::string& id, const std::string& value);
    /// Sets the value of a setting for scenes whose files leave it open; set_setting() overrides
    /// it. Throws UserError for an invalid value of a section in use.
    void set_fallback(const std::string& section, const std::string& id, const std::string& value);
    /// Whether set_setting() was called for this setting.
    [[nodiscard]] bool chosen(const std::string& section, const std::string& id) const;
    /// Requested value of a setting: from set_setting(), else the scene's file, else a fallback.
    /// Also for a section that is not in use. None if the setting has its default.
    [[nodiscard]] std::optional<std::string> requested(const std::string& section,
                                                       const std::string& id) const;
    /// Choices made by set_renderer(), set_builder() and set_setting().
    struct Choices {
        std::string renderer{}, builder{};
        std::map<std::string, std::map<std::string, std::string>> settings{};
        bool operator==(const Choices&) const = default;
    };
    [[nodiscard]] Choices choices() const { return {renderer_id_, builder_id_, chosen_settings_}; }
    /// Replaces all choices: settings that they leave open are as the scene's file, a fallback or
    /// the default says. Keeps the samples if none but the film's settings change, and then waits
    /// for nothing: as set_setting() of the film, within a frame as well. Throws UserError for a
    /// renderer or a builder that the device cannot run.
    void choose(const Choices& choices);
    /// The sections of settings in use: one of each kind, in the order of SectionKind.
    [[nodiscard]] SettingsSections sections();
    [[nodiscard]] SettingsSection section(SectionKind kind);
    [[nodiscard]] Settings renderer_settings() { return section(SectionKind::renderer).settings; }
    [[nodiscard]] Settings tree_settings() { return section(SectionKind::tree).settings; }
    [[nodiscard]] Settings film_settings() { return section(SectionKind::film).settings; }

    /// A frame consists of begin_frame(), render_frame(), other work to be timed with the frame
    /// (such as presenting), and end_frame(). begin_frame() takes note of camera, seed, time and
    /// the film's settings: between it and end_frame(), the rest of the frame may run in another
    /// thread while the owner sets these for the next one. All else must wait for the frame's end.
    void begin_frame();
    /// Rebuilds the tree and adds one sample to every pixel. Does not wait for the device. A
    /// changed camera, a changed time of an animated scene, or restart() clears the film. Returns
    /// false if the frame was cancelled: no sample was added, and the next frame clears the film.
    /// `progress` receives that of building trees of instances.
    bool render_frame(const ReadProgress& progress = {});
    void end_frame() {
        timer_->end_frame();
        noted_.reset();
    }
    /// Makes the next frame clear the film. Call after a setting of the renderer was changed
    /// without set_setting().
    void restart() {
        ++versions_.settings;
        set_samples(0);
    }
    /// Whether the newest frame's tree was built on a second stream, concurrently with the previous
    /// frame.
    [[nodiscard]] bool builds_ahead() const { return live_->taking_turns(); }

    Camera camera;  ///< set by the owner of the session
    std::uint64_t seed = 0;
    /// Cancellation request for the frame in progress, polled; another thread may set it. Null:
    /// never.
    const std::atomic<Cancellation>* cancellation = nullptr;
    /// Time of the scene's motion, seconds; any value, since it repeats after scene().duration.
    float time = 0;

    /// A warning about the scene's tree (warning_of), once for each scene: as soon as the device
    /// has reported it or, with `wait`, for the newest tree. "" if there is nothing new.
    [[nodiscard]] std::string take_tree_warning(bool wait = false);

    /// Gives memory that the next frame may not need back to the system.
    void trim();

    [[nodiscard]] Device& device() { return *device_; }
    [[nodiscard]] Stream& stream() { return *stream_; }
    [[nodiscard]] const std::shared_ptr<Stream>& shared_stream() const { return stream_; }
    [[nodiscard]] Scratch& scratch() { return *scratch_; }
    [[nodiscard]] Film& film() { return film_; }
    /// The film as it is saved: smoothed where the settings ask for it, unless it holds false
    /// colours. Never waits.
    [[nodiscard]] FilmView shown_film();
    /// Smooths the film for show() where the settings ask for it, as the stage kDenoiseStage of a
    /// frame; after render_frame(). Never waits.
    void denoise(DenoiseWhen when);
    /// Whether denoise(DenoiseWhen::now) has something to do.
    [[nodiscard]] bool awaits_denoising() const;
    /// Seconds that the denoiser has taken so far; waits for the stream.
    [[nodiscard]] double denoise_seconds();
    /// Tone-maps the film for the display, to memory of the session's device; never waits. Shows
    /// the newest smoothed picture if it has the film's view, scene and settings. Within a frame,
    /// by the film's settings at its beginning.
    void show(View<std::uint32_t> rgba8, bool bottom_up);
    /// Tone-mapped picture of shown_film(). Waits for the stream.
    [[nodiscard]] Image8 picture() { return picture_of(*scratch_, shown_film(), display_map()); }
    [[nodiscard]] ToneMap& tone_map() { return display_.tone_map; }
    /// Tone mapping for display: tone_map(), or none if the film holds false colours.
    [[nodiscard]] ToneMap display_map() { return display_map(display_); }
    /// Meaning of the false colours if the renderer produces them, else null.
    [[nodiscard]] FalseColor* false_color() { return renderer_->false_color(); }
    /// The renderer's counters of the newest frame. Waits for the stream.
    [[nodiscard]] std::vector<FrameCount> frame_counts() { return renderer_->counts(*stream_); }
    /// The renderer's figures of the picture so far. Waits for the stream.
    [[nodiscard]] std::vector<PictureFigure> picture_figures() {
        return renderer_->figures(*stream_);
    }
    /// Changes whenever the points of the newest frame do; 0: the renderer has none.
    [[nodiscard]] std::uint64_t points_version();
    /// The points that the renderer has stored in the newest frame, at most `most` of them; none
    /// before the first frame. Waits for the stream.
    [[nodiscard]] PointList collect_points(std::uint32_t most);
    /// Light transport between points, as the renderer reports it; null if the renderer reports
    /// none, and before the first frame.
    [[nodiscard]] TransportSource* exchange() {
        return samples() > 0 ? dynamic_cast<TransportSource*>(renderer_.get()) : nullptr;
    }
    /// Tree of a pixel's rays in the newest frame. Empty if the renderer has none, before the first
    /// frame and outside the picture. Waits for the stream.
    [[nodiscard]] PixelTree pixel_tree(int x, int y);
    /// Records the rays of the newest frame in at most `most_bytes` of device memory. Throws
    /// UserError if the renderer records none or they take more. Waits for the stream.
    [[nodiscard]] RecordedRays record_rays(std::uint64_t most_bytes);
    [[nodiscard]] StageTimer& timer() { return *timer_; }
    [[nodiscard]] LiveScene& live_scene() { return *live_; }
    /// An octree over the points of the scene in the newest frame, built where they have changed.
    /// Waits for the stream; throws UserError where memory is short.
    [[nodiscard]] OctreeView point_octree();
    [[nodiscard]] const Scene& scene() const { return *scene_; }
    [[nodiscard]] const std::shared_ptr<const Scene>& shared_scene() const { return scene_; }
    [[nodiscard]] const std::string& renderer_id() const { return renderer_id_; }
    [[nodiscard]] const std::string& builder_id() const { return builder_id_; }
    [[nodiscard]] const SamplingConfig& sampling() const { return sampling_; }
    /// The newest frame, to sample it again identically. A frame must have been rendered.
    [[nodiscard]] Frame newest_frame() const;
    /// Samples per pixel in the film; with adaptive sampling, the maximum over the pixels. May be
    /// read while a frame runs in another thread.
    [[nodiscard]] std::uint32_t samples() const { return samples_.load(kRelaxed); }
    /// Number of pictures that the film has held; incremented by the first sample of each. May be
    /// read while a frame runs in another thread.
    [[nodiscard]] std::uint64_t pictures() const { return pictures_.load(kRelaxed); }
    /// Pixels whose error is still too large, if errors are tracked and already known on the host.
    [[nodiscard]] std::optional<std::uint32_t> unfinished_pixels();
    /// Whether no pixel needs more samples.
    [[nodiscard]] bool finished() { return unfinished_pixels() == 0u || renderer_->is_done(); }

  private:
    static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
    /// Camera, seed, time and film settings, as begin_frame() copies them for the frame.
    struct Order {
        Camera camera;
        std::uint64_t seed = 0;
        float time = 0;
        DisplayConfig display;
    };
    /// Whether the film is smoothed by these settings.
    [[nodiscard]] bool smooths(const DisplayConfig& display) const {
        return display.denoise.smooths() && !renderer_->false_color() && samples() > 0;
    }
    [[nodiscard]] DenoiseMoment denoise_moment() const;
    /// Smooths the film with up to `n_guides` guide samples.
    void smooth(const DenoiseConfig& config, std::uint32_t n_guides);
    [[nodiscard]] Order order() const { return {camera, seed, time, display_}; }
    void set_samples(std::uint32_t n) { samples_.store(n, kRelaxed); }
    /// Adds the sample; throws Cancelled.
    bool add_sample(const ReadProgress& progress);
    /// Makes the next frame begin with what the cancelled one left undone.
    void recover(Cancellation asked);
    /// Tone mapping for these settings of the film, or none if it holds false colours.
    [[nodiscard]] ToneMap display_map(const DisplayConfig& display) {
        return false_color() ? ToneMap{} : display.tone_map;
    }
    /// Waits for all streams.
    void finish_work();
    /// Waits for all streams, but prints errors: a failed device must not prevent leaving it.
    void finish_before_leaving();
    /// Updates the scene to last_time_, concurrently with the previous frame if that pays off.
    void update_scene(const ReadProgress& progress);
    [[nodiscard]] bool can_build_ahead();
    /// Finds the dielectrics around the camera, where it may be within one.
    void find_camera_media();
    /// Applies the fallbacks, the settings of the scene file, then those chosen by the user.
    void apply_settings();
    /// Replaces the choices, which differ in the film's settings alone.
    void choose_film(const Choices& choices);
    /// False if the section is currently not in use.
    bool apply_setting(const std::string& section, const std::string& id, const std::string& value);

    Device* device_ = nullptr;
    std::shared_ptr<Stream> stream_;
    std::unique_ptr<Scratch> scratch_;
    std::unique_ptr<StageTimer> timer_;
    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<BuildAhead> ahead_;  ///< created on demand; may own memory of live_
    std::unique_ptr<LiveScene> live_;
    std::unique_ptr<LivePoints> points_;  ///< of live_; null until requested
    std::uint32_t points_of_ = 0;         ///< version of the scene that points_ were found for
    std::unique_ptr<Renderer> renderer_;
    std::string renderer_id_ = "whitted", builder_id_ = "hploc";
    std::map<std::string, std::map<std::string, std::string>> fallback_settings_, chosen_settings_;
    Film film_;
    DisplayConfig display_;
    Denoiser denoiser_;
    DeviceArray<std::uint32_t> camera_media_;  ///< one: SceneView::camera_media
    SamplingConfig sampling_;
    std::optional<Order> noted_;  ///< set within a frame only
    Camera last_camera_;
    float last_time_ = 0;
    std::uint64_t last_seed_ = 0;
    std::atomic<std::uint32_t> samples_ = 0;
    std::atomic<std::uint64_t> pictures_ = 0;
    Versions versions_{1, 1, 1, 1, 1};
    std::size_t refused_bytes_ = SIZE_MAX;  ///< size that did not fit in memory when building ahead
    bool told_tree_warning_ = false;
};

/// Writes the film: .png tone-mapped, .hdr and .exr linear. Waits for the frame; throws UserError.
void save_film(Session& session, const std::string& path);

}  // namespace tl
