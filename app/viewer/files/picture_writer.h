// Writes pictures in the background. The displayed data is copied between two frames; a thread of
// low priority composes comparisons and writes the files.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/views/compared_picture.h"
#include "renderer/film/film.h"
#include "renderer/images/picture_formats.h"

namespace tl {

struct ViewerModel;

/// A requested picture, to be taken as soon as there is one at full resolution.
struct PictureRequest {
    PictureFormat format = PictureFormat::png;
    std::string path{};  ///< "": a free name in the folder of screenshots
};

/// Data of a picture, in host memory.
struct PictureParts {
    PictureFormat format = PictureFormat::png;
    std::string scene{};  ///< file of the scene that it shows, or ""
    /// Pixels as displayed, or linear ones, by the format; of side B only if there is one.
    Image8 shown_a{}, shown_b{};
    ImageF linear_a{}, linear_b{};
    /// For PictureFormat::exr_layers.
    std::vector<ImagePlane> layers_a{}, layers_b{};
    bool is_deep = false;        ///< linear pixels are tone-mapped in 16 bits when they are written
    ToneMap tone_a{}, tone_b{};  ///< for that
    bool two_sides = false;
    bool flips_shown = false;  ///< FLIP is of the displayed pixels: side B is a displayed picture
    CompareMode mode = CompareMode::split;
    float split = 0.5f, gain = 1;
};

/// Copies the data of a picture. Waits for the sessions' streams.
[[nodiscard]] PictureParts collect_picture(ViewerModel& model, PictureFormat format);
/// The picture as displayed: side A, the split of both, their difference, or FLIP. FLIP takes
/// seconds for large pictures.
[[nodiscard]] Image8 displayed_picture(const PictureParts& parts);
/// Writes the picture in its format, whatever the path's ending; of two sides, the linear one of
/// side B goes to second_path(). Throws UserError.
void write_picture(const PictureParts& parts, const std::string& path);

class PictureWriter {
  public:
    static constexpr std::size_t kMostWaiting = 4;

    /// `written`: called in the thread after each picture, to wake the owner; may be null.
    explicit PictureWriter(std::function<void()> written = {}) : written_(std::move(written)) {}
    /// Waits until all pictures are written.
    ~PictureWriter();
    PictureWriter(const PictureWriter&) = delete;
    PictureWriter& operator=(const PictureWriter&) = delete;

    /// Queues a picture. `path_of` returns the path when the picture is written. Returns false, and
    /// does nothing, if kMostWaiting pictures wait.
    bool write(PictureParts parts, std::function<std::string()> path_of);
    struct Written {
        std::string path;
        std::string error;  ///< "" on success
        std::string scene;  ///< PictureParts::scene
    };
    /// Next picture written since the last call.
    [[nodiscard]] std::optional<Written> take();
    [[nodiscard]] bool busy() const;
    /// Number of queued pictures that are not written yet or whose result was not taken by take()
    /// yet.
    [[nodiscard]] std::size_t unfinished() const;
    /// Waits until all pictures are written.
    void wait();

  private:
    struct Waiting {
        PictureParts parts;
        std::function<std::string()> path_of;
    };
    void run();

    std::function<void()> written_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    std::deque<Written> done_;
    bool working_ = false, stop_ = false;
    std::thread thread_;
};

}  // namespace tl
