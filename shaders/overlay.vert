// Lines and points of the scene, as its camera sees them.
#version 450 core
layout(location = 0) uniform mat4 camera;
layout(location = 1) uniform float point_size;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 overlay_color;
layout(location = 0) out vec4 vertex_color;

void main() {
    vertex_color = overlay_color;
    gl_Position = camera * vec4(position, 1.0);
    gl_PointSize = point_size;
}
