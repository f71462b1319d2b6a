#include "renderer/film/convergence.h"

#include <algorithm>

#include "core/device/fitting_array.h"

namespace tl {

void Convergence::restart(Stream& stream, Extent extent) {
    auto pixels = static_cast<std::size_t>(extent.pixels());
    resize_fitting(done_, stream, pixels);
    done_.fill_zero(stream);
    bias_.resize_discard(stream, 0);
    n_undone_.resize_discard(stream, 1);
    undone_pixels_.reset();
    ++version_;
}

void Convergence::resume(Stream& stream, const std::vector<std::uint8_t>& done) {
    done_.assign(stream, done);
    undone_pixels_ = static_cast<std::uint32_t>(std::ranges::count(done, 0));
    ++version_;
}

View<vec3> Convergence::bias(Stream& stream) {
    if (bias_.empty()) {
        resize_fitting(bias_, stream, done_.size());
        bias_.fill_zero(stream);
    }
    return bias_.view();
}

void Convergence::look(Scratch& scratch, const FilmView& film, const FilmRegion& region,
                       float error) {
    auto& stream = scratch.stream();
    TL_DISPATCH(stream.device(), find_done_pixels(scratch, film, region, bias_.view(), error,
                                                  done_.view(), n_undone_.view()));
    if (!readback_) readback_ = std::make_unique<Readback<std::uint32_t>>(stream.device());
    readback_->request(stream, n_undone_.data(), version_);
}

std::optional<std::uint32_t> Convergence::undone_pixels() {
    if (!readback_) return {};
    if (auto taken = readback_->take(); taken && taken->tag == version_)
        undone_pixels_ = taken->value;
    return undone_pixels_;
}

}  // namespace tl
