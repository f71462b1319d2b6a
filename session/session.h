// The state shared by the viewer, `render` and `bench`: a device with a scene, a tree builder, a
// renderer and a film, each of which can be replaced between frames. Its parts have headers of
// their own: settings, display and inspection. Further devices may sample a part of the pixels.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/read_progress.h"
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/renderer.h"
#include "renderer/scene/camera_path.h"
#include "renderer/scene/scene_edits.h"
#include "session/build_ahead.h"
#include "session/session_display.h"
#include "session/session_inspection.h"
#include "session/session_settings.h"

namespace tl {

struct PreparedDevice;
struct PreparedScene;
class SplitFrames;
enum class SampleEnd : int;

/// Belongs to one thread, and its parts with it. Its frames may run in another one (begin_frame()),
/// and so may the slow part of a replacement (session_preparation.h).
class Session {
  public:
    /// `stream`: the stream of another session on the device, so that their frames are serialised
    /// instead of concurrent; null creates a new stream. While two sessions share a stream, neither
    /// builds trees ahead, so that each can be timed separately.
    explicit Session(Device& device, std::shared_ptr<Stream> stream = nullptr);
    ~Session();

    /// Replaces the scene and applies the settings of its file.
    void adopt(PreparedScene prepared);
    /// prepare_scene() and adopt(). If it throws, the current scene stays.
    void set_scene(std::shared_ptr<const Scene> scene, const ReadProgress& progress = {});
    /// Updates the copy on the device after an edit of the scene. Keeps the settings. `prepared`:
    /// result of prepare_edited(), where the geometry has changed; null: the copy is made here.
    /// Throws UserError if the changes do not fit.
    void follow_scene(const SceneChange& change, std::unique_ptr<LiveScene> prepared = nullptr);
    /// Moves to the device and keeps scene, renderer, builder and settings. Further devices are no
    /// longer used.
    void adopt(PreparedDevice prepared);
    /// prepare_device() and adopt(), unless the device and the stream are those in use. `stream` as
    /// for the constructor.
    void set_device(Device& device, std::shared_ptr<Stream> stream = nullptr,
                    const ReadProgress& progress = {});
    /// Splits frames over further devices: each samples a part of the pixels, from a copy of the
    /// scene that it makes before its first sample. One that fails is dropped, with a warning
    /// (SessionInspection::take_warning), and the picture restarts. With `others` empty, the
    /// session's own device samples all pixels.
    void split_over(const std::vector<Device*>& others);
    /// set_device() and split_over(), unless these devices are those in use. `devices`: at least
    /// one.
    void set_devices(const std::vector<Device*>& devices, const ReadProgress& progress = {});
    /// The session's own device, and those that frames are split over. May be called while a frame
    /// runs in another thread.
    [[nodiscard]] std::vector<Device*> devices() const;
    /// Restricts samples to a part of the pixels, from now on; the others of its region are those
    /// of other processes.
    void set_share(const FilmShare& share);
    [[nodiscard]] const FilmShare& share() const { return share_; }
    /// Restricts samples to a rectangle of pixels, of any picture from now on, and restarts the
    /// picture; other pixels keep their samples. The region is whole: restricts nothing.
    void set_region(const FilmRegion& region);
    /// The setters keep the rest: a new renderer keeps the scene, builder and settings.
    void set_renderer(const std::string& id) { set_renderer(id, make_renderer(id, *device_)); }
    /// `renderer`: for the session's device; it need not be in the table of renderers.
    void set_renderer(const std::string& id, std::unique_ptr<Renderer> renderer);
    void set_builder(const std::string& id);
    /// Changes the film's size and discards its samples; a width or height of 0 is taken as 1.
    void resize(Extent extent);
    /// Gives memory that the next frame may not need back to the system.
    void trim();

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
    void end_frame();
    /// Makes the next frame rebuild the trees, instead of refitting them.
    void invalidate_trees();
    /// Makes the next frame clear the film. Call after a setting of the renderer was changed
    /// without SessionSettings::set().
    void restart();

    Camera camera;  ///< set by the owner of the session
    /// The camera at the moments of the shutter that come after `time`; null: `camera` rests.
    /// Called in the threads of all devices.
    MovingCamera moving_camera;
    std::uint64_t seed = 0;
    /// Cancellation request for the frame in progress, polled; another thread may set it. Null:
    /// never.
    const std::atomic<Cancellation>* cancellation = nullptr;
    /// Called before the errors of the film's pixels are estimated, so that several processes that
    /// share the pixels can exchange them; null: never.
    std::function<void()> before_look;
    /// Time of the scene's motion, seconds; any value, since it repeats after scene().duration.
    float time = 0;

    /// Settings of renderer, builder, tree, film and samples.
    [[nodiscard]] SessionSettings& settings() { return settings_; }
    [[nodiscard]] const SessionSettings& settings() const { return settings_; }
    /// The picture as it is displayed and saved.
    [[nodiscard]] SessionDisplay& display() { return display_; }
    /// Figures, points and rays of the newest frame.
    [[nodiscard]] SessionInspection& inspection() { return inspection_; }

    [[nodiscard]] Device& device() const { return *device_; }
    [[nodiscard]] Stream& stream() const { return *stream_; }
    [[nodiscard]] const std::shared_ptr<Stream>& shared_stream() const { return stream_; }
    [[nodiscard]] Scratch& scratch() { return *scratch_; }
    [[nodiscard]] StageTimer& timer() { return *timer_; }
    /// The film, with the pixels of all devices: those of further ones are copied first, which
    /// waits for nothing between GPUs. If that fails, the picture restarts without the device.
    /// Call it between frames, or in the frame's thread.
    [[nodiscard]] Film& film();
    /// Convergence of the film's pixels; null if it is not tracked.
    [[nodiscard]] Convergence* convergence() { return film_.convergence(); }
    [[nodiscard]] Extent extent() const { return film_.extent(); }
    [[nodiscard]] LiveScene& live_scene() { return *live_; }
    [[nodiscard]] const Scene& scene() const { return *scene_; }
    [[nodiscard]] const std::shared_ptr<const Scene>& shared_scene() const { return scene_; }
    [[nodiscard]] Renderer& renderer() { return *renderer_; }
    [[nodiscard]] const std::string& renderer_id() const { return renderer_id_; }
    [[nodiscard]] const std::string& builder_id() const { return builder_id_; }

    /// The newest sample, to sample it again identically: its time and camera are those of its
    /// moment of the shutter. A frame must have been rendered.
    [[nodiscard]] Frame newest_frame() const;
    /// Versions of what the newest frame depends on.
    [[nodiscard]] const Versions& versions() const { return versions_; }
    /// Versions of what the first sample of the picture depended on. Later samples have others
    /// where they show later moments of the shutter.
    [[nodiscard]] const Versions& picture_versions() const { return picture_versions_; }
    /// Samples per pixel in the film; with adaptive sampling, the maximum over the pixels. May be
    /// read while a frame runs in another thread.
    [[nodiscard]] std::uint32_t samples() const { return samples_.load(kRelaxed); }
    /// Number of pictures that the film has held; incremented by the first sample of each. May be
    /// read while a frame runs in another thread.
    [[nodiscard]] std::uint64_t pictures() const { return pictures_.load(kRelaxed); }
    /// Whether no pixel needs more samples.
    [[nodiscard]] bool finished();

  private:
    friend class SessionInspection;  // whose warnings are also those of split_
    friend class SplitFrames;        // whose sessions sample for this one
    friend class SessionDisplay;     // which shows the parts of split_

    static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
    /// Camera, seed and time, as begin_frame() copies them for the frame.
    struct Order {
        Camera camera;
        /// Called in the threads of all devices.
        MovingCamera moving_camera;
        std::uint64_t seed = 0;
        float time = 0;
    };
    [[nodiscard]] Order order() const { return {camera, moving_camera, seed, time}; }
    void set_samples(std::uint32_t n) { samples_.store(n, kRelaxed); }
    /// Adds the sample of all devices.
    SampleEnd add_whole_sample(const ReadProgress& progress);
    /// Adds the own device's sample; throws Cancelled.
    bool add_sample(const ReadProgress& progress);
    /// Finds the converged pixels, after each sample where that is due.
    void look_for_converged();
    /// Renders a part of the sample, at its moment of the shutter if it `blurs`; returns false if
    /// it was cancelled.
    bool add_part(const FilmPart& part, bool blurs, const ReadProgress& progress);
    /// Sets moment_ and moment_camera_ for a part of the sample.
    void move_to_moment(const FilmPart& part, bool blurs);
    /// Makes the next frame begin with what the cancelled one left undone.
    void recover(Cancellation asked);
    /// Waits for all streams.
    void finish_work();
    /// Waits for all streams, but prints errors: a failed device must not prevent leaving it.
    void finish_before_leaving();
    /// Updates the scene to moment_, concurrently with the previous frame if that pays off.
    void update_scene(const ReadProgress& progress);
    [[nodiscard]] bool can_build_ahead();
    /// Finds the dielectrics around the camera, where it may be within one.
    void find_camera_media();

    Device* device_ = nullptr;
    std::shared_ptr<Stream> stream_;
    std::unique_ptr<Scratch> scratch_;
    std::unique_ptr<StageTimer> timer_;
    std::shared_ptr<const Scene> scene_;
    std::unique_ptr<BuildAhead> ahead_;  ///< created on demand; may own memory of live_
    std::unique_ptr<LiveScene> live_;
    std::unique_ptr<Renderer> renderer_;
    std::string renderer_id_ = "whitted", builder_id_ = "hploc";
    Film film_;
    SessionSettings settings_{*this};
    SessionDisplay display_{*this};
    SessionInspection inspection_{*this};
    DeviceArray<std::uint32_t> camera_media_;  ///< one: SceneView::camera_media
    std::optional<Order> noted_;               ///< set within a frame only
    Order last_;                               ///< of the newest frame
    /// Time and camera of the newest sample, at a moment of the frame's shutter.
    float moment_ = 0;
    Camera moment_camera_;
    std::atomic<std::uint32_t> samples_ = 0;
    std::atomic<std::uint64_t> pictures_ = 0;
    Versions versions_{1, 1, 1, 1, 1};
    Versions picture_versions_;             ///< versions_ in the first sample of the picture
    std::size_t refused_bytes_ = SIZE_MAX;  ///< size that did not fit in memory when building ahead
    FilmShare share_;                       ///< set_share()
    bool is_helper_ = false;                ///< samples for another session, which sets samples()
    PhotonShare* photon_share_ = nullptr;   ///< of a helper
    /// The last member, so that it ends first; null where frames are not split.
    std::unique_ptr<SplitFrames> split_;
};

}  // namespace tl
