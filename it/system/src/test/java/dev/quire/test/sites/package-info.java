/**
 * Applications of other projects (Express with ws, a static nginx, Tomcat's examples; on request
 * Django and WordPress), alone and behind Quire, Varnish and nginx: what they do for a browser,
 * transfer sizes, ranges and large bodies, and the protocol. Not responsible for: attacks, which
 * the hostile dialogues test.
 */
@NullMarked
package dev.quire.test.sites;

import org.jspecify.annotations.NullMarked;
