// Rays and pieces that are nearly flat, in coordinates in which the piece is nearly a square. What
// Toth 1985 proves by intervals for each ray (accel/patch/cell_proof.h) is prepared once a piece:
// bounds of its derivatives there. A ray of direction d sees the functions f = x - s_x z and
// g = y - s_y z with s = (d.x, d.y) / d.z, whose derivatives differ from 1 and 0 by |s| times the
// bounds of z more than x and y do. Where no matrix of such derivatives is singular the ray meets
// the piece once at most (the mean of derivatives between two roots would be), and a border at
// which f or g point outward shows that it does not.
#pragma once

#include "accel/patch/cell_proof.h"
#include "accel/patch/patches.h"

TL_DEVICE_BEGIN

/// In the frame's axes; of a difference of points.
TL_HD inline vec3 in_frame(const PieceFrame& f, vec3 v) {
    return {glm::dot(f.x, v), glm::dot(f.y, v), glm::dot(f.z, v)};
}

/// Whether a line passes the box that holds the piece in its frame, by the separating axes across
/// the line.
TL_HD inline bool passes_by(const PieceFrame& f, vec3 origin, vec3 direction) {
    vec3 away = origin - f.center, far = glm::abs(away);
    vec3 p = in_frame(f, away), d = in_frame(f, direction), size = glm::abs(d);
    float error = f.error * maximum(far.x, maximum(far.y, far.z));
    float x = f.half_x + error, y = f.half_y + error, z = f.half_z + error;
    return magnitude(p.y * d.z - p.z * d.y) > y * size.z + z * size.y ||
           magnitude(p.z * d.x - p.x * d.z) > z * size.x + x * size.z ||
           magnitude(p.x * d.y - p.y * d.x) > x * size.y + y * size.x;
}

/// a - b without an error: their difference rounded, and what that leaves out (Knuth's TwoSum).
TL_HD inline float exact_difference(float a, float b, float& rest) {
    float difference = a - b, back = a - difference;
    rest = (a - (difference + back)) + (back - b);
    return difference;
}

/// A ray and a piece, in the piece's frame.
class FlatPieceMeeting {
  public:
    TL_HD FlatPieceMeeting(const PieceFrame& frame, const PieceNet& net, vec3 origin,
                           vec3 direction)
        : frame_(frame), net_(net), origin_(origin), direction_(direction) {
        vec3 along = in_frame(frame, direction);
        inverse_ = 1 / along.z;
        slope_x_ = along.x * inverse_;
        slope_y_ = along.y * inverse_;
        float steep_x = magnitude(slope_x_), steep_y = magnitude(slope_y_);
        float f_u = net.bend[0][0] + steep_x * net.bend[2][0];
        float g_v = net.bend[1][1] + steep_y * net.bend[2][1];
        float f_v = net.bend[0][1] + steep_x * net.bend[2][1];
        float g_u = net.bend[1][0] + steep_y * net.bend[2][0];
        certain_ =
            f_u < kMostBend && g_v < kMostBend && f_v * g_u < kMostBend * (1 - f_u) * (1 - g_v);
        f_by_g_ = f_v / (1 - g_v);
        g_by_f_ = g_u / (1 - f_u);
    }

    /// Whether the ray meets the piece once at most.
    [[nodiscard]] TL_HD bool is_certain() const { return certain_; }

    /// Where that is so: `unique` with the root (x, y) in the unit square or hardly beside it;
    /// `empty` where there is none, or none with t in the range. `blurred` if rounding leaves it
    /// open. Steps go to counter.count_steps.
    template <class Counter>
    [[nodiscard]] TL_HD CellProof find(float t_min, float t_max, float& x, float& y,
                                       Counter& counter) const {
        // The same ray from a place near the piece, which is then as exact as the piece itself.
        vec3 away, rest;
        for (int k = 0; k < 3; ++k)
            away[k] = exact_difference(origin_[k], frame_.center[k], rest[k]);
        float t_near = -glm::dot(away, direction_) / glm::dot(direction_, direction_);
        vec3 near;
        for (int k = 0; k < 3; ++k) near[k] = fused(t_near, direction_[k], away[k]) + rest[k];
        vec3 p = in_frame(frame_, near), far = glm::abs(near);

        float t_plane = t_near - p.z * inverse_;
        float reach = (1 + kRoundings) * frame_.half_z * magnitude(inverse_) +
                      kRoundings * (magnitude(t_near) + magnitude(t_plane));
        if (t_plane - reach > t_max || t_plane + reach < t_min) return CellProof::empty;

        float steep = 1 + maximum(magnitude(slope_x_), magnitude(slope_y_));
        float noise = steep * (kRoundings + frame_.error * maximum(far.x, maximum(far.y, far.z)));
        if (!(noise < kMostNoise)) return CellProof::blurred;
        float px = p.x - slope_x_ * p.z, py = p.y - slope_y_ * p.z;
        Net<float> f, g;
        for (int k = 0; k < PatchPoints::kCount; ++k) {
            float z = net_.of_axis[2][k];
            f.at[k] = net_.of_axis[0][k] - slope_x_ * z - px;
            g.at[k] = net_.of_axis[1][k] - slope_y_ * z - py;
        }
        x = clamped(px + 0.5f, kLow, kHigh);
        y = clamped(py + 0.5f, kLow, kHigh);
        return find_root(f, g, 4 * noise, x, y, counter);
    }

  private:
    /// Of what makes a matrix singular: bounds are rounded up, and hold just beside the piece, too.
    static constexpr float kMostBend = 0.95f;
    static constexpr float kRoundings = 0x1p-20f;
    static constexpr float kMostNoise = 1e-3f;
    /// What lies so near beside the piece is left to the patch itself to decide.
    static constexpr float kLow = -1e-3f, kHigh = 1 + 1e-3f;

    TL_HD static float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
        return __fmaf_rn(a, b, c);
#else
        return std::fma(a, b, c);
#endif
    }
    /// At a border of x beyond which `f` must go on to vanish.
    TL_HD static bool leads_out(float x, float f) {
        return (x <= kLow && f > 0) || (x >= kHigh && f < 0);
    }

    /// Newton's method from (x, y) within the borders, along them where a function leads out.
    template <class Counter>
    TL_HD CellProof find_root(const Net<float>& a, const Net<float>& b, float noise, float& x,
                              float& y, Counter& counter) const {
        constexpr int kSteps = 10;
        constexpr float kSmallStep = 2e-4f;  // its square is all that the polish has to do
#if defined(__CUDACC__)
#pragma unroll 1
#endif
        for (int step = 0; step < kSteps; ++step) {
            counter.count_steps(1);
            Jet<float> f = jet_at(a, x, y), g = jet_at(b, x, y);
            bool out_x = leads_out(x, f.value), out_y = leads_out(y, g.value);
            float far_f = magnitude(f.value), far_g = magnitude(g.value);
            // A root would need derivatives between here and there that the bounds rule out.
            if (out_x && far_f > f_by_g_ * (out_y ? 0.0f : far_g) + noise &&
                (!out_y || far_g > noise))
                return CellProof::empty;
            if (out_y && far_g > g_by_f_ * (out_x ? 0.0f : far_f) + noise &&
                (!out_x || far_f > noise))
                return CellProof::empty;
            float inverse = 1 / (f.du * g.dv - f.dv * g.du);
            float dx = inverse * (g.value * f.dv - f.value * g.dv);
            float dy = inverse * (f.value * g.du - g.value * f.du);
            if (maximum(magnitude(dx), magnitude(dy)) < kSmallStep) {
                x += dx;
                y += dy;
                return CellProof::unique;
            }
            if (out_x) {
                dx = 0;
                dy = out_y ? 0 : -g.value / g.dv;
            } else if (out_y) {
                dx = -f.value / f.du;
                dy = 0;
            }
            x = clamped(x + dx, kLow, kHigh);
            y = clamped(y + dy, kLow, kHigh);
        }
        return CellProof::blurred;
    }

    const PieceFrame& frame_;
    const PieceNet& net_;
    vec3 origin_, direction_;
    float slope_x_, slope_y_, inverse_;  ///< of the direction in the frame
    bool certain_;
    float f_by_g_, g_by_f_;  ///< most that one function's value can hide of the other's
};

TL_DEVICE_END
