/** The auto-configurations and the actuator endpoint. */
@NullMarked
package dev.quire.spring.internal.autoconfigure;

import org.jspecify.annotations.NullMarked;
