/**
 * The configuration: records read from a YAML file and the command line, validated completely
 * before anything starts. Depends only on the values of {@code route} in the proxy.
 */
@NullMarked
package dev.quire.proxy.config;

import org.jspecify.annotations.NullMarked;
