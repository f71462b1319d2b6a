// Kernels of the sums: the contribution of one point to another.
//
// A kernel has a near form, between points, and a far form, between the interpolation points of
// expansions. In the far form every point is represented by kChannels strengths. Every
// interpolation point gets as many sums, from which those of points are interpolated.
//
//   inverse distance  sum of w / |d|; where d is 0, nothing
//   radiosity         E(x) = sum of B A max(0, n_x.d) max(0, -n_y.d) / (pi |d|^4), d = y - x
//
// Points represent pieces of a surface: in the near form |d|^4 is larger where they are neighbours
// (piece_distance.h). In the far form the two maxima are left out, which is exact where no cosine
// of a link is negative. The rest separates: strengths are s_b = B A n_b / pi, sums F_a = sum of
// d_a d_b s_b / |d|^4, and E = -n_a F_a.
#pragma once

#include "accel/fmm/lanes.h"
#include "accel/fmm/piece_distance.h"
#include "accel/octree/octree.h"

TL_DEVICE_BEGIN

/// The near and the far form are the same.
struct InverseDistance {
    using Value = float;  ///< strength of a source
    using Sum = float;    ///< sum at a target
    static constexpr int kChannels = 1;

    struct Near {
        static constexpr int kSourceWords = 4;  ///< position and strength
        static constexpr int kTargetWords = 3;  ///< position
        static constexpr int kSums = 1;

        TL_D static void add(const Lanes* target, const float* source, Lanes* sums) {
            Lanes x = Lanes(source[0]) - target[0], y = Lanes(source[1]) - target[1],
                  z = Lanes(source[2]) - target[2];
            Lanes square = x * x + y * y + z * z;
            sums[0] = sums[0] + where_positive(square, Lanes(source[3]) * reciprocal_root(square));
        }
    };
    using Far = Near;

    TL_D static void load_source(const Surfel& point, float value, float* words) {
        for (int axis = 0; axis < 3; ++axis) words[axis] = point.position[axis];
        words[3] = value;
    }
    /// Multiplies a source's strength by a link's weight.
    TL_D static void weigh(float weight, float* words) { words[3] *= weight; }
    TL_D static vec3 target_word(const Surfel& point, int part) {
        return part == 0 ? point.position : vec3(0);
    }
    TL_D static void strengths(const Surfel&, float value, float* out) { out[0] = value; }
    TL_D static float sum_of_near(const float* sums) { return sums[0]; }
    TL_D static float sum_of_far(const Surfel&, const float* sums) { return sums[0]; }

    /// Strengths that solid harmonics expand: see harmonics.h.
    struct HarmonicStrengths {
        static constexpr int kDistancePower = 1, kChannels = 1, kColours = 1;
        static constexpr bool kIsGradient = false;

        TL_D static void strengths(const Surfel&, vec3, float value, float* out) { out[0] = value; }
        template <class Number>
        TL_D static void move(Number, Number, Number, Number*) {}
        TL_D static float sum(vec3, const float* field) { return field[0]; }
    };
};

struct Radiosity {
    using Value = vec3;
    using Sum = vec3;
    static constexpr int kChannels = 9;  ///< strength b of colour c is 3 b + c

    struct Near {
        static constexpr int kSourceWords =
            12;  ///< position, PieceDistance::of_area(); normal, 0; power / pi, 0
        static constexpr int kTargetWords = 6;  ///< position, normal
        static constexpr int kSums = 3;

        TL_D static void add(const Lanes* target, const float* source, Lanes* sums) {
            Lanes x = Lanes(source[0]) - target[0], y = Lanes(source[1]) - target[1],
                  z = Lanes(source[2]) - target[2];
            Lanes square = x * x + y * y + z * z;
            Lanes at_target = x * target[3] + y * target[4] + z * target[5];
            Lanes at_source = -(x * Lanes(source[4]) + y * Lanes(source[5]) + z * Lanes(source[6]));
            constexpr float kLess = 1 - PieceDistance::kShare / PieceDistance::kReach;
            Lanes fourth = square * square;
            Lanes root = reciprocal_root(maximum(fourth, fourth * Lanes(kLess) + Lanes(source[3])));
            Lanes kernel =
                maximum(at_target, Lanes(0.0f)) * root * (maximum(at_source, Lanes(0.0f)) * root);
            for (int c = 0; c < 3; ++c) sums[c] = sums[c] + kernel * Lanes(source[8 + c]);
        }
    };
    struct Far {
        static constexpr int kSourceWords = 12;  ///< position and strengths
        static constexpr int kTargetWords = 3;
        static constexpr int kSums = kChannels;

        TL_D static void add(const Lanes* target, const float* source, Lanes* sums) {
            Lanes x = Lanes(source[0]) - target[0], y = Lanes(source[1]) - target[1],
                  z = Lanes(source[2]) - target[2];
            Lanes root = reciprocal_root(x * x + y * y + z * z);
            Lanes inverse = root * root, kernel = inverse * inverse;
            for (int c = 0; c < 3; ++c) {
                Lanes along = kernel * (x * Lanes(source[3 + c]) + y * Lanes(source[6 + c]) +
                                        z * Lanes(source[9 + c]));
                sums[c] = sums[c] + x * along;
                sums[3 + c] = sums[3 + c] + y * along;
                sums[6 + c] = sums[6 + c] + z * along;
            }
        }
    };

    TL_D static void load_source(const Surfel& point, vec3 value, float* words) {
        vec3 power = (point.area / kPi) * value;
        for (int axis = 0; axis < 3; ++axis) {
            words[axis] = point.position[axis];
            words[4 + axis] = point.normal[axis];
            words[8 + axis] = power[axis];
        }
        words[3] = PieceDistance::of_area(point.area);
        words[7] = words[11] = 0;
    }
    TL_D static void weigh(float weight, float* words) {
        for (int c = 0; c < 3; ++c) words[8 + c] *= weight;
    }
    TL_D static vec3 target_word(const Surfel& point, int part) {
        return part == 0 ? point.position : point.normal;
    }
    TL_D static void strengths(const Surfel& point, vec3 value, float* out) {
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c)
                out[3 * b + c] = (point.area / kPi) * point.normal[b] * value[c];
    }
    TL_D static vec3 sum_of_near(const float* sums) { return {sums[0], sums[1], sums[2]}; }
    TL_D static vec3 sum_of_far(const Surfel& point, const float* sums) {
        vec3 sum(0);
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c) sum[c] -= point.normal[a] * sums[3 * a + c];
        return sum;
    }

    /// Strengths that solid harmonics expand: channel 3 b + c has strength b of colour c, and
    /// channel 9 + c the sum over b of y_b times these. d_a / |d|^4 is half the derivative of 1 /
    /// |d|^2. So E is half the derivative along -n of field 9 + c, less the sum over b of x_b times
    /// half that of field 3 b + c.
    struct HarmonicStrengths {
        static constexpr int kDistancePower = 2, kChannels = 12, kColours = 3;
        static constexpr bool kIsGradient = true;

        TL_D static void strengths(const Surfel& point, vec3 offset, vec3 value, float* out) {
            Radiosity::strengths(point, value, out);
            for (int c = 0; c < 3; ++c) out[9 + c] = 0;
            move(offset.x, offset.y, offset.z, out);
        }
        template <class Number>
        TL_D static void move(Number x, Number y, Number z, Number* channels) {
            for (int c = 0; c < 3; ++c)
                channels[9 + c] =
                    channels[9 + c] + x * channels[c] + y * channels[3 + c] + z * channels[6 + c];
        }
        TL_D static vec3 sum(vec3 offset, const float* slopes) {
            vec3 sum(0);
            for (int c = 0; c < 3; ++c) {
                sum[c] = slopes[9 + c];
                for (int b = 0; b < 3; ++b) sum[c] -= offset[b] * slopes[3 * b + c];
            }
            return -0.5f * sum;
        }
    };
};

TL_DEVICE_END
