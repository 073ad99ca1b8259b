/**
 * What the operator chose: records read from one YAML file and the command line, checked whole
 * before anything starts. Leaves to others: acting on it. Of the proxy it knows the values of
 * {@code route} alone.
 */
@NullMarked
package dev.quire.proxy.config;

import org.jspecify.annotations.NullMarked;
