#include "app/commands/render_picture.h"

#include "app/jobs/format.h"
#include "core/base/error.h"
#include "session/render_region.h"

namespace tl {

PictureFormat RenderOptions::format() const {
    auto format = picture_format_of(output);
    if (format == PictureFormat::png && png_bits == 16) return PictureFormat::png16;
    return format == PictureFormat::exr && aovs.any() ? PictureFormat::exr_layers : format;
}

FilmRegion RenderOptions::film_region() const {
    if (region.empty()) return {};
    int left = region.at(0), top = region.at(1), right = region.at(2), bottom = region.at(3);
    auto refuse = [&](const std::string& why) {
        throw UsageError(formatted("--region %d,%d,%d,%d: ", left, top, right, bottom) + why);
    };
    if (left >= right || top >= bottom)
        refuse("it has no pixels; it is X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1");
    if (left < 0 || top < 0 || right > size.width || bottom > size.height)
        refuse(formatted("the picture has %dx%d pixels, so the region is within 0,0,%d,%d",
                         size.width, size.height, size.width, size.height));
    auto pixel = [](int x) { return static_cast<std::uint32_t>(x); };
    return {pixel(left), pixel(top), pixel(right), pixel(bottom)};
}

void apply_region(Session& session, const RenderOptions& options) {
    auto region = options.film_region();
    if (region.is_whole()) return;
    if (auto fault = region_fault(session); !fault.empty())
        throw UserError("--region: " + fault + "; leave it out");
    session.set_region(region);
}

std::string encode_picture(Session& session, const AovBuffers& layers,
                           const RenderOptions& options) {
    auto format = options.format();
    if (format != PictureFormat::exr_layers) return encode_film(session, options.output, format);
    return encode_as(format, options.output,
                     radiance_of(session.stream(), session.display().shown_film()),
                     layers.planes(session.stream()));
}

std::string denoised_text(Session& session) {
    double seconds = session.display().denoise_seconds();
    return seconds > 0 ? formatted(", denoised in %.2f s", seconds) : "";
}

}  // namespace tl
