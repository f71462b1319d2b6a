#include "app/solve/pose/picture_matches.h"

#include "core/base/error.h"

#if defined(TL_HAS_OPENCV)
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#endif

namespace tl {

#if defined(TL_HAS_OPENCV)

namespace {

struct OrbFeatures {
    std::vector<cv::KeyPoint> places;
    cv::Mat descriptors;
};

OrbFeatures features_of(const Image8& picture, int most) {
    cv::Mat grey(picture.extent.height, picture.extent.width, CV_8UC1);
    for (int i = 0; i < picture.extent.pixels(); ++i) {
        // Weights of BT.601, in 256ths.
        const std::uint8_t* rgba = picture.rgba.data() + 4 * static_cast<std::size_t>(i);
        grey.data[i] =
            static_cast<std::uint8_t>((77 * rgba[0] + 150 * rgba[1] + 29 * rgba[2]) >> 8);
    }
    OrbFeatures features;
    cv::ORB::create(most)->detectAndCompute(grey, cv::noArray(), features.places,
                                            features.descriptors);
    return features;
}

/// The index of each feature's match, -1 where the ratio test finds none.
std::vector<int> best_of(const OrbFeatures& from, const OrbFeatures& to) {
    constexpr float kRatio = 0.8f;
    std::vector<int> best(from.places.size(), -1);
    std::vector<std::vector<cv::DMatch>> nearest;
    cv::BFMatcher(cv::NORM_HAMMING).knnMatch(from.descriptors, to.descriptors, nearest, 2);
    for (auto& two : nearest)
        if (two.size() == 2 && two[0].distance < kRatio * two[1].distance)
            best[static_cast<std::size_t>(two[0].queryIdx)] = two[0].trainIdx;
    return best;
}

}  // namespace

const char* no_features_reason() {
    return "";
}

std::vector<double> picture_matches(const Image8& first, const Image8& second, int most) {
    auto a = features_of(first, most), b = features_of(second, most);
    std::vector<double> matches;
    if (a.places.empty() || b.places.empty()) return matches;
    auto there = best_of(a, b), back = best_of(b, a);
    for (std::size_t i = 0; i < there.size(); ++i) {
        if (there[i] < 0) continue;
        auto j = static_cast<std::size_t>(there[i]);
        if (back[j] != static_cast<int>(i)) continue;
        // OpenCV counts from the middle of the first pixel.
        for (const cv::Point2f& place : {a.places[i].pt, b.places[j].pt}) {
            matches.push_back(double(place.x) + 0.5);
            matches.push_back(double(place.y) + 0.5);
        }
    }
    return matches;
}

#else

const char* no_features_reason() {
    return "the program was built without OpenCV: install libopencv-calib3d-dev and build it again";
}

std::vector<double> picture_matches(const Image8& /*first*/, const Image8& /*second*/,
                                    int /*most*/) {
    throw UserError(std::string("no features of pictures: ") + no_features_reason());
}

#endif

}  // namespace tl
