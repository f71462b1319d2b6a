// Configuration of a simulation of shallow water.
#pragma once

#include "core/base/settings.h"

namespace tl {

/// Scheme for the level of the next step.
enum class WaterMode {
    adi,  ///< a tridiagonal system for each row, then for each column
    pcg,  ///< one system of five points, by conjugate gradients with multigrid
    plu,  ///< the systems of adi as dense matrices, by PLU factorisation (Brodtkorb 2007)
};
[[nodiscard]] constexpr auto names_of(WaterMode) {
    return std::to_array<EnumName<WaterMode>>(
        {{WaterMode::adi, "adi"}, {WaterMode::pcg, "pcg"}, {WaterMode::plu, "plu"}});
}
/// Boundary condition beyond the first and the last cell of a row or a column.
enum class WaterBorder {
    wall,      ///< reflects
    open,      ///< waves leave (Flather 1976)
    periodic,  ///< the other end
};
[[nodiscard]] constexpr auto names_of(WaterBorder) {
    return std::to_array<EnumName<WaterBorder>>({{WaterBorder::wall, "wall"},
                                                 {WaterBorder::open, "open"},
                                                 {WaterBorder::periodic, "periodic"}});
}
/// Advection scheme of velocities.
enum class Advection {
    streamline,  ///< back along the velocity, bilinear (Casulli 1990); for any time step
    momentum,    ///< keeps momentum, also in bores (Stelling & Duinmeijer 2003); needs steps in
                 ///< which water crosses less than a cell
    none,        ///< linear waves
};
[[nodiscard]] constexpr auto names_of(Advection) {
    return std::to_array<EnumName<Advection>>({{Advection::streamline, "streamline"},
                                               {Advection::momentum, "momentum"},
                                               {Advection::none, "none"}});
}

struct WaterConfig {
    WaterMode mode = WaterMode::adi;
    float time_step = 0.01f;  ///< s
    float gravity = 9.81f;    ///< m/s^2
    float chezy = 0;          ///< Chezy's coefficient of bottom friction, m^(1/2)/s; 0: no friction
    /// Implicitness theta, the weight of the new level in the gradient: 1 as in Casulli, which
    /// damps short waves; 0.5 damps nothing.
    float implicitness = 1;
    Advection advection = Advection::streamline;
    WaterBorder border_x = WaterBorder::wall, border_y = WaterBorder::wall;
    float rest_level = 0;          ///< level of the water beyond open borders, m
    float rain = 0;                ///< mm/h
    float wind_x = 0, wind_y = 0;  ///< speed of the wind, m/s
    float tolerance = 1e-6f;       ///< pcg: residual over that of the last step's level
    int most_iterations = 200;     ///< pcg
    bool single_precision = true;  ///< plu: factorises floats, as the GPUs of 2007 did
    bool share = false;            ///< plu: the CPU and the GPU share the systems

    /// The settings, bound to this config.
    [[nodiscard]] static const SettingsOf<WaterConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
    bool operator==(const WaterConfig&) const = default;
};

}  // namespace tl
