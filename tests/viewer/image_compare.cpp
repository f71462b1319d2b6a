// image_compare A B [TOLERANCE]: mean absolute difference of two pictures, on the scale 0 to 255
// for PNG and in radiance for .hdr and .exr. Exit code: 0 within the tolerance (0 if none is
// given); 1 above it or if the sizes differ; 2 if a file cannot be read.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "renderer/images/image_io.h"

namespace {

struct Picture {
    tl::Extent extent;
    std::vector<double> values;  // rgb
};

Picture read(const std::string& path) {
    Picture picture;
    if (path.ends_with(".hdr") || path.ends_with(".exr")) {
        auto image = tl::read_image(path);
        picture.extent = image.extent;
        for (auto& rgb : image.rgb)
            for (int c = 0; c < 3; ++c) picture.values.push_back(static_cast<double>(rgb[c]));
        return picture;
    }
    auto image = tl::read_image8(path);
    picture.extent = image.extent;
    for (std::size_t i = 0; i < image.rgba.size(); ++i)
        if (i % 4 != 3) picture.values.push_back(image.rgba[i]);
    return picture;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: image_compare A B [TOLERANCE]\n", stderr);
        return 2;
    }
    double tolerance = argc > 3 ? std::atof(argv[3]) : 0;
    try {
        auto a = read(argv[1]), b = read(argv[2]);
        if (!(a.extent == b.extent)) {
            std::printf("sizes differ: %dx%d against %dx%d\n", a.extent.width, a.extent.height,
                        b.extent.width, b.extent.height);
            return 1;
        }
        double sum = 0;
        for (std::size_t i = 0; i < a.values.size(); ++i)
            sum += std::abs(a.values[i] - b.values[i]);
        double mean = a.values.empty() ? 0 : sum / static_cast<double>(a.values.size());
        std::printf("mean absolute difference %.6f (tolerance %g)\n", mean, tolerance);
        return mean <= tolerance ? 0 : 1;
    } catch (const tl::UserError& error) {
        std::fprintf(stderr, "image_compare: %s\n", error.what());
        return 2;
    }
}
