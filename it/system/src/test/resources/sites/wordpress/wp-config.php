<?php
// Each Host is a site of its own, with its own tables, so that each column has one to install.
$host = $_SERVER['HTTP_HOST'];
$table_prefix = 'wp_' . preg_replace('/[^a-z0-9]/', '_', $host) . '_';
define('WP_HOME', "http://$host");
define('WP_SITEURL', WP_HOME);
define('DB_NAME', 'wordpress');
define('DB_USER', 'wordpress');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . $_SERVER['DATABASE']);
define('DB_CHARSET', 'utf8mb4');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define("{$name}_KEY", hash('sha256', "$name key $host " . $_SERVER['SECRET']));
    define("{$name}_SALT", hash('sha256', "$name salt $host " . $_SERVER['SECRET']));
}
// Nothing here leaves this machine or changes programs.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISALLOW_FILE_MODS', true);
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
