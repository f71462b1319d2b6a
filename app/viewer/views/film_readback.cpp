#include "app/viewer/views/film_readback.h"

namespace tl {

void FilmReadback::release() {
    try {
        if (event_) event_->wait();
    } catch (const UserError&) {
        // The failure of a device is reported elsewhere; its copy will not continue.
    }
    event_.reset();
    if (sums_) device_->free_pinned(sums_);
    sums_ = nullptr;
    capacity_ = 0;
}

void FilmReadback::start(Session& session) {
    auto& device = session.device();
    auto view = session.film().view();
    std::size_t pixels = view.extent.pixels();
    if (device_ != &device || capacity_ < pixels || capacity_ / 2 > pixels) {
        release();
        device_ = &device;
        sums_ = static_cast<vec4*>(device.allocate_pinned(pixels * sizeof(vec4)));
        capacity_ = pixels;
    }
    extent_ = view.extent;
    samples_ = session.samples();
    picture_ = session.pictures();
    device.download_later(session.stream(), sums_, view.radiance_sum, pixels * sizeof(vec4));
    if (!event_) event_ = device.create_event();
    event_->record(session.stream());
}

ImageF FilmReadback::image() const {
    ImageF image{extent_, {}};
    auto pixels = static_cast<std::size_t>(extent_.pixels());
    image.rgb.reserve(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
        vec4 sum = sums_[i];
        image.rgb.push_back(sum.w > 0 ? vec3(sum) / sum.w : vec3(0));
    }
    return image;
}

}  // namespace tl
