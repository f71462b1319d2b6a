#version 450 core
layout(location = 2) uniform bool round_points;
layout(location = 0) in vec4 vertex_color;
layout(location = 0) out vec4 color;

void main() {
    if (round_points && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
    color = vertex_color;
}
