#include "app/viewer/files/picture_writer.h"

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/background.h"
#include "renderer/false_color/error_picture.h"
#include "renderer/images/exr_io.h"
#include "renderer/images/hdr_io.h"
#include "renderer/images/jpeg_io.h"
#include "renderer/images/png_io.h"

namespace tl {

PictureParts collect_picture(ViewerModel& model, PictureFormat format) {
    auto& compare = model.view.compare;
    auto* second = compare.second ? &compare.second->session() : nullptr;
    PictureParts parts{.format = format,
                       .two_sides = second != nullptr,
                       .mode = compare.mode,
                       .split = compare.split,
                       .gain = compare.gain};
    auto linear = [](Session& s) { return radiance_of(s.stream(), s.display().shown_film()); };
    bool flip = second && compare.mode == CompareMode::flip;
    bool displayed = !row_of(format).is_linear;
    if (displayed && flip) {
        auto* found = compare.flip_of(model.session);
        if (found && found->stamp == stamp_of(model.session, *second)) {
            // FLIP of these very films is known.
            parts.two_sides = false;
            parts.shown_a = found->picture;
            return parts;
        }
        parts.linear_a = model.session.film().radiance(model.session.stream());
        parts.linear_b = second->film().radiance(second->stream());
    }
    if (displayed) {
        parts.shown_a = model.session.display().picture();
        if (second) parts.shown_b = second->display().picture();
    } else {
        parts.linear_a = linear(model.session);
        if (second) parts.linear_b = linear(*second);
    }
    return parts;
}

Image8 displayed_picture(const PictureParts& parts) {
    if (!parts.two_sides) return parts.shown_a;
    if (parts.mode == CompareMode::difference)
        return difference_picture(parts.shown_a, parts.shown_b, parts.gain);
    // FLIP says nothing of films that are not finite.
    if (parts.mode == CompareMode::split || !fault_of(parts.linear_a, parts.linear_b).empty())
        return split_picture(parts.shown_a, parts.shown_b, parts.split);
    return error_picture(flip_errors(parts.linear_b, parts.linear_a), 1);
}

namespace {

std::string encoded(const std::string& path, const Image8& image, PictureFormat format) {
    constexpr int kJpegQuality = 95;
    return format == PictureFormat::jpeg ? encode_jpeg(path, image, kJpegQuality)
                                         : encode_png(image);
}

std::string encoded(const std::string& path, const ImageF& image, PictureFormat format) {
    if (format == PictureFormat::hdr) return encode_hdr(path, image);
    return encode_exr(path, image, {},
                      format == PictureFormat::exr_half ? ExrPrecision::half : ExrPrecision::full);
}

}  // namespace

void write_picture(const PictureParts& parts, const std::string& path) {
    if (!row_of(parts.format).is_linear)
        return write_file(path, encoded(path, displayed_picture(parts), parts.format));
    write_file(path, encoded(path, parts.linear_a, parts.format));
    if (!parts.two_sides) return;
    auto second = second_path(path);
    write_file(second, encoded(second, parts.linear_b, parts.format));
}

PictureWriter::~PictureWriter() {
    if (!thread_.joinable()) return;
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool PictureWriter::write(PictureParts parts, std::function<std::string()> path_of) {
    {
        std::scoped_lock lock(mutex_);
        if (waiting_.size() >= kMostWaiting) return false;
        waiting_.push_back({std::move(parts), std::move(path_of)});
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    changed_.notify_all();
    return true;
}

std::optional<PictureWriter::Written> PictureWriter::take() {
    std::scoped_lock lock(mutex_);
    if (done_.empty()) return std::nullopt;
    auto first = std::move(done_.front());
    done_.pop_front();
    return first;
}

bool PictureWriter::busy() const {
    std::scoped_lock lock(mutex_);
    return working_ || !waiting_.empty();
}

std::size_t PictureWriter::unfinished() const {
    std::scoped_lock lock(mutex_);
    return waiting_.size() + done_.size() + (working_ ? 1 : 0);
}

void PictureWriter::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !working_ && waiting_.empty(); });
}

void PictureWriter::run() {
    yield_to_other_threads();
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        auto picture = std::move(waiting_.front());
        waiting_.pop_front();
        working_ = true;
        lock.unlock();
        Written written;
        try {
            written.path = picture.path_of();
            run_on_one_thread([&] { write_picture(picture.parts, written.path); });
        } catch (const std::exception& error) {
            written.error = message_of(error);
        }
        picture = {};
        lock.lock();
        working_ = false;
        done_.push_back(std::move(written));
        changed_.notify_all();
        if (written_) written_();
    }
}

}  // namespace tl
