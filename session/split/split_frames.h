// Split-frame rendering: further devices sample a part of the pixels of a session's film, each by a
// session of its own with a copy of the scene, whose trees it builds itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "renderer/film/film_share.h"
#include "session/session.h"
#include "session/split/frame_speed.h"
#include "session/split/photon_exchange.h"

namespace tl {

/// State of all devices at the end of a sample.
enum class SampleEnd : int {
    complete,
    cancelled,  ///< on a device
    lost,       ///< a further device has failed and is dropped; the sample lacks its pixels
};

/// The further devices of a session, each with a thread that rests between frames. Tiles are
/// divided in proportion to the speed that the devices have shown, again at the first sample of a
/// picture; each tile stays with one device for the whole picture, so that its samples are added up
/// in order.
///
/// Belongs to the thread of the session's frame.
class SplitFrames {
  public:
    /// `session`: with the first device, and the only one that callers see.
    SplitFrames(Session& session, const std::vector<Device*>& others);
    ~SplitFrames();
    SplitFrames(const SplitFrames&) = delete;
    SplitFrames& operator=(const SplitFrames&) = delete;

    /// The further devices. May be called in any thread.
    [[nodiscard]] std::vector<Device*> devices() const;
    /// Takes note of an edit of the session's scene, which the devices follow before their next
    /// sample.
    void follow_scene(const SceneChange& change);
    /// Makes the devices rebuild their trees before their next sample.
    void invalidate_trees();
    /// Whether the picture should restart, with other shares: the first samples have shown that
    /// some devices are much faster than their shares are large. True once for each scene.
    [[nodiscard]] bool wants_new_picture();
    /// Starts a sample of the further devices, in their threads. At the first sample of a picture,
    /// divides `whole` among the films of all devices. Where the renderer compares pixels or shows
    /// false colours, the session's own device samples all of them.
    void begin_sample(const FilmShare& whole);
    /// Interface by which the session's own device shares photon passes in this sample; null: it
    /// does not.
    [[nodiscard]] PhotonShare* photon_share() {
        return is_dividing_ ? &exchange_->share(0) : nullptr;
    }
    /// Takes note that the session's own device has been given all work of the sample.
    void end_own_sample();
    /// Waits until the further devices have been given theirs too. The session's own device does
    /// not share photons of the sample from then on.
    [[nodiscard]] SampleEnd end_sample();
    /// Copies the further devices' pixels to the session's film, in the order of all streams. Drops
    /// a device that fails, and restarts the session's picture.
    void join();
    /// Tone-maps the film to `rgba8`, memory of the session's device, as tone_map() does; never
    /// waits. Each device maps its own pixels, which are a fifth of the bytes of their sums.
    /// Returns false, and does nothing, where the session's film has all pixels.
    [[nodiscard]] bool show(const ToneMap& map, View<std::uint32_t> rgba8, bool bottom_up);
    /// The pixels of the newest sample are not wanted: the film changes its size.
    void forget_pixels() { is_joined_ = true; }
    /// Copies to the further devices which pixels have converged.
    void copy_converged();
    /// Words on devices that were dropped since the last call, or "".
    [[nodiscard]] std::string take_warning();
    /// Gives memory that the next frame may not need back to the system.
    void trim();

  private:
    struct Helper;
    struct Failure {
        std::size_t index;  ///< of the helper
        std::string reason;
    };
    /// Fractions of the pixels that would take all devices the same time, that of the session's own
    /// first; empty while the time of one is not known.
    [[nodiscard]] std::vector<double> even_parts();
    void share_tiles(const FilmShare& whole);
    void start_helpers();
    /// `failures`: in descending order of the index.
    void drop(const std::vector<Failure>& failures);
    /// Calls `take` for each helper. Drops those for which it throws, and restarts the picture
    /// then.
    template <class Take>
    void take_pixels(const Take& take);
    void list_devices();

    Session& session_;
    std::vector<std::unique_ptr<Helper>> helpers_;  ///< one for each further device
    FrameSpeed own_speed_;
    /// Fraction of the pixels that each device samples, that of the session's own first.
    std::vector<double> parts_;
    FilmShare own_share_;
    std::unique_ptr<PhotonExchange> exchange_;
    std::shared_ptr<const Scene> scene_;  ///< of the newest sample
    std::uint32_t settings_version_ = 0;  ///< of the newest sample
    bool is_dividing_ = false;            ///< whether the further devices take part in this sample
    bool is_joined_ = true;               ///< whether the session's film has all pixels
    bool had_new_picture_ = false;        ///< wants_new_picture(), with this scene
    std::string warning_;
    mutable std::mutex mutex_;  ///< of devices_
    std::vector<Device*> devices_;
};

}  // namespace tl
