// What the viewer, `render` and `bench` share: one device with a scene, a tree builder, a renderer
// and a film, each of which can be switched while frames go on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/build_ahead.h"
#include "renderer/pixel_tree.h"
#include "renderer/recorded_rays.h"
#include "renderer/renderer.h"
#include "renderer/settings_sections.h"

namespace tl {

class Session {
  public:
    /// `stream`: that of another session on the device, so that their frames follow each other
    /// instead of running side by side; null for one of its own. While two sessions share a stream
    /// neither builds trees ahead, so that one can be timed after the other.
    explicit Session(Device& device, std::shared_ptr<Stream> stream = nullptr);
    ~Session();

    /// Exchanges the scene and takes over the settings that its file asks for. When it throws, the
    /// running scene stays.
    void set_scene(std::shared_ptr<const Scene> scene);
    /// Each keeps the rest: a new device takes the scene, renderer, builder and settings along.
    void set_device(Device& device) { set_device(device, nullptr); }
    /// `stream` as for the constructor.
    void set_device(Device& device, std::shared_ptr<Stream> stream);
    void set_renderer(const std::string& id) { set_renderer(id, make_renderer(id, *device_)); }
    /// `renderer`: one for the session's device that need not be in the table of renderers.
    void set_renderer(const std::string& id, std::unique_ptr<Renderer> renderer);
    void set_builder(const std::string& id);
    /// Losing the samples; 0 in either direction is taken as 1.
    void resize(Extent extent);

    /// Sets a setting of a renderer, a builder, the tree or the film, by section id ("whitted",
    /// "lbvh", "tree", "film", "sampling"). It outlives a change of device, renderer or builder.
    /// Throws UserError listing what is known.
    void set_setting(const std::string& section, const std::string& id, const std::string& value);
    /// The sections of settings in use: one of each kind, in the order of SectionKind.
    [[nodiscard]] SettingsSections sections();
    [[nodiscard]] SettingsSection section(SectionKind kind);
    [[nodiscard]] Settings renderer_settings() { return section(SectionKind::renderer).settings; }
    [[nodiscard]] Settings tree_settings() { return section(SectionKind::tree).settings; }
    [[nodiscard]] Settings film_settings() { return section(SectionKind::film).settings; }

    /// A frame is begin_frame(), render_frame(), whatever else is to be timed with it (presenting),
    /// and end_frame().
    void begin_frame() { timer_->begin_frame(); }
    /// Rebuilds the tree and adds one sample to every pixel. Does not wait for the device. A
    /// changed camera, a changed time of a scene that moves, or restart() starts the film anew.
    /// False where no sample was added, since the renderer is still preparing or was cancelled.
    bool render_frame();
    void end_frame() { timer_->end_frame(); }
    /// The next frame starts the film anew; to be called after a setting of the renderer changed
    /// otherwise than by set_setting().
    void restart() {
        ++versions_.settings;
        samples_ = 0;
    }
    /// What the renderer is at.
    [[nodiscard]] RendererStatus status() const { return renderer_->status(); }
    /// Whether the newest frame's tree was built on a stream of its own, beside the frame before.
    [[nodiscard]] bool builds_ahead() const { return live_->taking_turns(); }

    Camera camera;  ///< moved by whoever drives the session
    std::uint64_t seed = 0;
    /// Asked by renderers between stages; may be set by another thread. Null: never.
    const std::atomic<bool>* cancel = nullptr;
    /// Of the scene's motion, seconds; any number, since motion repeats after scene().duration.
    float time = 0;

    /// What the user should know of the scene's tree (warning_of), once for each scene: as soon as
    /// the device has told, or, with `wait`, of the newest tree. "" when there is nothing new.
    [[nodiscard]] std::string take_tree_warning(bool wait = false);

    [[nodiscard]] Device& device() { return *device_; }
    [[nodiscard]] Stream& stream() { return *stream_; }
    [[nodiscard]] const std::shared_ptr<Stream>& shared_stream() const { return stream_; }
    [[nodiscard]] Scratch& scratch() { return *scratch_; }
    [[nodiscard]] Film& film() { return film_; }
    [[nodiscard]] ToneMap& tone_map() { return tone_map_; }
    /// How the film is to be shown: tone_map(), but unchanged where it holds false colours.
    [[nodiscard]] ToneMap display_map() { return false_color() ? ToneMap{} : tone_map_; }
    /// What false colours stand for, where the renderer makes such; else null.
    [[nodiscard]] FalseColor* false_color() { return renderer_->false_color(); }
    /// What the renderer has counted in the newest frame. Waits for the stream.
    [[nodiscard]] std::vector<FrameCount> frame_counts() { return renderer_->counts(*stream_); }
    /// The tree of a pixel's rays in the newest frame; empty where the renderer has none, before
    /// the first frame and outside of the picture. Waits for the stream.
    [[nodiscard]] PixelTree pixel_tree(int x, int y);
    /// The rays of the newest frame, which take at most `most_bytes` of the device's memory. Throws
    /// UserError where the renderer records none or they take more. Waits for the stream.
    [[nodiscard]] RecordedRays record_rays(std::uint64_t most_bytes);
    [[nodiscard]] StageTimer& timer() { return *timer_; }
    [[nodiscard]] LiveScene& live_scene() { return *live_; }
    [[nodiscard]] const Scene& scene() const { return *scene_; }
    [[nodiscard]] const std::shared_ptr<const Scene>& shared_scene() const { return scene_; }
    [[nodiscard]] const std::string& renderer_id() const { return renderer_id_; }
    [[nodiscard]] const std::string& builder_id() const { return builder_id_; }
    [[nodiscard]] const SamplingConfig& sampling() const { return sampling_; }
    /// The newest frame, for what is to be sampled as it was. There must have been one.
    [[nodiscard]] Frame newest_frame() const;
    /// Samples a pixel that the film holds, or has where pixels got fewer.
    [[nodiscard]] std::uint32_t samples() const { return samples_; }
    /// Pixels whose error is still too large, where errors are followed and the device has told.
    [[nodiscard]] std::optional<std::uint32_t> unfinished_pixels();
    /// No pixel needs more samples.
    [[nodiscard]] bool finished() {
        return unfinished_pixels() == 0u || status().phase == RendererStatus::Phase::done;
    }

  private:
    /// Waits for all streams.
    void finish_work();
    /// Brings the scene to last_time_, beside the frame before where that pays.
    void update_scene();
    [[nodiscard]] bool can_build_ahead();
    /// What the scene file asks for, then what was chosen by hand.
    void apply_settings();
    /// False where the section is not in use now.
    bool apply_setting(const std::string& section, const std::string& id, const std::string& value);

    Device* device_ = nullptr;
    std::shared_ptr<Stream> stream_;
    std::unique_ptr<Scratch> scratch_;
    std::unique_ptr<StageTimer> timer_;
    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<BuildAhead> ahead_;  ///< made when first needed; the scene's memory is its
    std::unique_ptr<LiveScene> live_;
    std::unique_ptr<Renderer> renderer_;
    std::string renderer_id_ = "whitted", builder_id_ = "hploc";
    std::map<std::string, std::map<std::string, std::string>> chosen_settings_;
    Film film_;
    ToneMap tone_map_;
    SamplingConfig sampling_;
    Camera last_camera_;
    float last_time_ = 0;
    std::uint32_t samples_ = 0;
    Versions versions_{1, 1, 1, 1, 1};
    std::size_t refused_bytes_ = SIZE_MAX;  ///< for which there was no room to build ahead
    bool told_tree_warning_ = false;
};

/// Writes the film: .png tone-mapped, .hdr and .exr linear. Waits for the frame; throws UserError.
void save_film(Session& session, const std::string& path);

}  // namespace tl
